import { api, dataOf } from '../api/client.ts';
import { findEveryone } from '../overview/everyone.ts';
import type { Words } from '../words/words.tsx';

/** The target that a draft begins with. */
interface Audience {
  readonly idTarget: number;
  readonly name: string;
}

/**
 * Makes a draft with the plain message, the newest sending configuration, and an audience. Default: all subscribed
 * people, if there is such a target.
 */
export async function createDraft(
  idsite: string,
  starter: Words['composer']['starter'],
  audience?: Audience,
): Promise<number> {
  const params = { path: { idsite } };
  const query = { 'filter.sortBy': 'Id', 'filter.order': 'DESC', 'filter.limit': 1 } as const;
  const [configurations, everyone] = await Promise.all([
    dataOf(api.GET('/v1/{idsite}/sending-configurations', { params: { ...params, query } })),
    audience ?? findEveryone(idsite),
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
        segments: everyone
          ? [
              {
                name: audience?.name ?? starter.segment,
                idTarget: everyone.idTarget,
                percent: 100,
                fixedValues: 0,
              },
            ]
          : [],
      },
    }),
  );
  return id;
}
