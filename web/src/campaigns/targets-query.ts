import { api, dataOf } from '../api/client.ts';

/** The site's targets, except for those of test mailings. */
export const targetsQuery = (idsite: string) => ({
  queryKey: ['targets', idsite, 'all'],
  queryFn: async () => {
    const params = { path: { idsite } };
    const { items } = await dataOf(api.GET('/v1/{idsite}/targets/all', { params }));
    return items.filter(({ isTestTarget }) => !isTestTarget);
  },
});
