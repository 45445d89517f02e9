import { api, dataOf } from '../api/client.ts';

/** One import. */
export const importQuery = (idsite: string, idImport: number) => ({
  queryKey: ['imports', idsite, 'one', idImport],
  queryFn: () =>
    dataOf(api.GET('/v1/{idsite}/imports/{idImport}', { params: { path: { idsite, idImport } } })),
});
