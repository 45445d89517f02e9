import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useMe, useSite } from '../session/session.tsx';

/** Relays of the site; undefined while they are not known. Only an administrator can see them. */
export function useRelays() {
  const site = useSite();
  const { isAdministrator } = useMe();
  return useQuery({
    queryKey: ['routes', site.name],
    enabled: isAdministrator,
    queryFn: () =>
      dataOf(api.GET('/admin/v1/sites/{idsite}/routes', { params: { path: { idsite: site.name } } })),
  }).data;
}
