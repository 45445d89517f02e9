import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';

/** The record whose last change is asked for; empty for the settings of the site. */
export type Changed = NonNullable<operations['getLastChange']['parameters']['query']>;

/** The audit log has a change within a second. */
const logMs = 1_000;

/** Who made the last change of a record. @param date of the change; a later one is read anew */
export function useLastChange(of: Changed | undefined, date?: string) {
  const site = useSite();
  return useQuery({
    queryKey: ['last-change', site.name, of, date],
    enabled: of !== undefined,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/last-change', { params: { path: { idsite: site.name }, query: of } })),
    refetchInterval: ({ state }) =>
      state.data?.userName === null && state.dataUpdateCount < 3 ? logMs : false,
    // The next conflict is about another change.
    gcTime: 0,
  }).data;
}
