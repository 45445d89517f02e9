import { api, dataOf } from '../api/client.ts';

/** Makes a draft with the content, options and segments of a campaign. Returns its id. */
export async function duplicateCampaign(idsite: string, idCampaign: number, name: string): Promise<number> {
  const path = { idsite, idCampaign };
  const [campaign, segments] = await Promise.all([
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params: { path } })),
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path } })),
  ]);
  const { parameters, htmlContent, textContent, preheader, idDirectory } = campaign;
  const made = await dataOf(
    api.POST('/v1/{idsite}/campaigns', {
      params: { path: { idsite }, query: { trackAllLinks: campaign.isTracked } },
      body: {
        parameters: { ...parameters, name, isArchive: false },
        htmlContent: htmlContent ?? '',
        textContent: textContent ?? '',
        preheader,
        idDirectory,
      },
    }),
  );
  for (const { parameters: segment } of segments) {
    const params = { path: { idsite, idCampaign: made.id } };
    await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params, body: segment }));
  }
  return made.id;
}
