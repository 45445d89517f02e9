import { api, dataOf } from '../api/client.ts';

/** MJML and the HTML that it made. */
export interface Layout {
  readonly mjml: string;
  readonly htmlContent: string;
}

/**
 * Makes a draft with the content, options and segments of a campaign.
 * @param layout blocks instead of its HTML
 * @returns its id
 */
export async function duplicateCampaign(
  idsite: string,
  idCampaign: number,
  name: string,
  layout?: Layout,
): Promise<number> {
  const path = { idsite, idCampaign };
  const [campaign, { mjml, isCurrent }, segments] = await Promise.all([
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params: { path } })),
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/mjml', { params: { path } })),
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path } })),
  ]);
  const { parameters, htmlContent = '', textContent, preheader, idDirectory } = campaign;
  const blocks = layout ?? (isCurrent ? { mjml, htmlContent } : undefined);
  const made = await dataOf(
    api.POST('/v1/{idsite}/campaigns', {
      params: { path: { idsite }, query: { trackAllLinks: campaign.isTracked } },
      body: {
        parameters: { ...parameters, name, isArchive: false },
        htmlContent: blocks?.htmlContent ?? htmlContent,
        textContent: textContent ?? '',
        preheader,
        idDirectory,
      },
    }),
  );
  const params = { path: { idsite, idCampaign: made.id } };
  if (blocks) await dataOf(api.PUT('/v1/{idsite}/campaigns/{idCampaign}/mjml', { params, body: blocks }));
  for (const { parameters: segment } of segments) {
    await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params, body: segment }));
  }
  return made.id;
}
