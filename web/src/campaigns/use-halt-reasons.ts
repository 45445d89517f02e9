import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { mostJobs, newestReasons } from './halt-reasons.ts';

const haltStates = ['Paused', 'Missed', 'Error'];
const renewMs = 60_000;

/**
 * Why campaigns are paused, missed their date or ended with an error, in the service's words and by the campaign's id.
 * Some of their jobs have never started: they are not among the last jobs. A campaign that has no reason has an empty
 * text; one whose reason is not known yet is not in the map.
 */
export function useHaltReasons(campaigns: readonly Campaign[]): ReadonlyMap<number, string> {
  const site = useSite();
  const ids = campaigns
    .filter((one) => haltStates.includes(stateOf(one)))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  const { data } = useQuery({
    queryKey: ['campaigns', site.name, 'halt reasons', ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: renewMs,
    queryFn: async ({ signal }) => {
      const found = await newestReasons(ids, (left) => {
        const query = {
          ...{ 'filters.idsCampaign': [...left], 'filters.hideTest': true },
          ...{ 'filters.sortDesc': true, 'filters.paginationLines': mostJobs },
        };
        const params = { path: { idsite: site.name }, query };
        return dataOf(api.GET('/v1/{idsite}/statistics/jobs', { params, signal }));
      });
      return new Map(ids.map((id) => [id, found.get(id) ?? '']));
    },
  });
  return data ?? new Map();
}
