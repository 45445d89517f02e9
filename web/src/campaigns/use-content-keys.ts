import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';

/** The most that a call can bring. */
const query = { 'filter.sortBy': 'Name', 'filter.order': 'ASC', 'filter.limit': 1000 } as const;
const staleTime = 60_000;

/** The keys of content blocks and of content data that tags can name. */
export function useContentKeys() {
  const site = useSite();
  const params = { path: { idsite: site.name }, query };
  const blocks = useQuery({
    queryKey: ['blocks', site.name, 'all'],
    staleTime,
    queryFn: async () => (await dataOf(api.GET('/v1/{idsite}/content-blocks/list', { params }))).items,
  }).data;
  const data = useQuery({
    queryKey: ['data', site.name, 'all'],
    staleTime,
    queryFn: async () => (await dataOf(api.GET('/v1/{idsite}/content-data', { params }))).items,
  }).data;
  return { blocks, data };
}
