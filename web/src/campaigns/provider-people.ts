import { api, dataOf } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import type { PageOptions, PeoplePage } from './people-figure.ts';

/** Recipients of some providers over a period: the days, and what the figure counts. */
export type ProviderFigure = Pick<
  operations['listRecentProviderPeople']['parameters']['query'],
  'figure' | 'nbDays' | 'idsFai'
>;

/** Reads a page of the recipients of some providers. @param place undefined means the first page */
export async function readProviderPage(
  idsite: string,
  provider: ProviderFigure,
  { place, limit, search, signal }: PageOptions,
): Promise<PeoplePage> {
  const query = { ...provider, limit, ...(search !== undefined && { search }), ...place };
  const { people, next } = await dataOf(
    api.GET('/v1/{idsite}/statistics/recent-providers/people', {
      params: { path: { idsite }, query },
      signal,
    }),
  );
  return { people, next: next ?? undefined };
}
