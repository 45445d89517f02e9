import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { type Campaign, isRunning } from './campaign.ts';

export type LastJob = components['schemas']['JobRecord'];

const liveMs = 3_000;
/** Opens and clicks of campaigns that were sent earlier. */
const idleMs = 30_000;

/** The newest real job of each campaign that has started, by the campaign's id; one request for all of them. */
export const useLastJobs = (campaigns: readonly Campaign[]): ReadonlyMap<number, LastJob> | undefined =>
  useLastJobsQuery(campaigns).data;

/** The query of `useLastJobs`, which also knows whether it failed. */
export function useLastJobsQuery(campaigns: readonly Campaign[]) {
  const site = useSite();
  const ids = campaigns.map(({ id }) => id).sort((a, b) => a - b);
  return useQuery({
    queryKey: ['campaigns', site.name, 'last jobs', ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: campaigns.some(isRunning) ? liveMs : idleMs,
    queryFn: async ({ signal }) => {
      const jobs = await dataOf(
        api.GET('/v1/{idsite}/statistics/jobs', {
          params: {
            path: { idsite: site.name },
            query: {
              'filters.idsCampaign': ids,
              'filters.onlyLast': true,
              'filters.hideTest': true,
              'filters.paginationLines': ids.length,
            },
          },
          signal,
        }),
      );
      return new Map(jobs.map((job) => [job.idCampaign, job] as const));
    },
  });
}
