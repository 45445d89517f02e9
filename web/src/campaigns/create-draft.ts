import { api, dataOf } from '../api/client.ts';
import { findEveryone } from '../overview/everyone.ts';
import type { Words } from '../words/words.tsx';

/** Makes a draft with the plain message, the newest sending configuration, and all subscribed people, if any. */
export async function createDraft(idsite: string, starter: Words['composer']['starter']): Promise<number> {
  const params = { path: { idsite } };
  const query = { 'filter.sortBy': 'Id', 'filter.order': 'DESC', 'filter.limit': 1 } as const;
  const [configurations, everyone] = await Promise.all([
    dataOf(api.GET('/v1/{idsite}/sending-configurations', { params: { ...params, query } })),
    findEveryone(idsite),
  ]);
  const { id } = await dataOf(
    api.POST('/v1/{idsite}/campaigns', {
      params: { ...params, query: { trackAllLinks: true } },
      body: {
        parameters: {
          name: starter.name,
          subject: '',
          mode: 'Simple',
          type: 'Newsletter',
          idConfiguration: configurations.items[0]?.config.id ?? null,
          useListUnsubscribeHeader: true,
        },
        htmlContent: starter.html,
      },
    }),
  );
  if (everyone)
    await dataOf(
      api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', {
        params: { path: { idsite, idCampaign: id } },
        body: { name: starter.segment, idTarget: everyone.idTarget, percent: 100, fixedValues: 0 },
      }),
    );
  return id;
}
