import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';

/**
 * The repositories of the site, the default one first. 0 is the site's own folder, at the service's public address.
 * @param enabled whether they are needed
 */
export function useRepositories(enabled = true) {
  const site = useSite();
  return useQuery({
    queryKey: ['repositories', site.name],
    enabled,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/exports/repositories', { params: { path: { idsite: site.name } } })),
  });
}
