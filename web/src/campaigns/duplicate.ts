import { api, dataOf } from '../api/client.ts';

/** MJML and the HTML that it made. */
export interface Layout {
  readonly mjml: string;
  readonly htmlContent: string;
}

/**
 * Makes a draft with all that a campaign has, in one call: a part of its segments would reach people whom nobody meant.
 * @param blocks instead of its HTML
 * @returns its id
 */
export async function duplicateCampaign(
  idsite: string,
  idCampaign: number,
  name: string,
  blocks?: Layout,
): Promise<number> {
  const made = await dataOf(
    api.POST('/v1/{idsite}/campaigns/{idCampaign}/duplicate', {
      params: { path: { idsite, idCampaign } },
      body: { name: [...name].slice(0, 255).join(''), ...(blocks && { blocks }) },
    }),
  );
  return made.id;
}
