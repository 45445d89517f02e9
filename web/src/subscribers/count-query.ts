import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

/** How many people the site has, and how many of them can receive mail. */
export const countQuery = (idsite: string) =>
  queryOptions({
    queryKey: ['subscribers', idsite, 'count'],
    queryFn: () => dataOf(api.GET('/v1/{idsite}/subscribers/count', { params: { path: { idsite } } })),
  });
