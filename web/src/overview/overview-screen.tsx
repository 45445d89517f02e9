import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { Failed, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { FirstSteps } from './first-steps.tsx';
import { SentOverview } from './sent-overview.tsx';

/** Real jobs of the last 30 days, the newest first. */
const jobsOf = (idsite: string) => ({
  queryKey: ['jobs', idsite],
  queryFn: async () => {
    const jobs = await dataOf(
      api.GET('/v1/{idsite}/statistics/jobs', {
        params: {
          path: { idsite },
          query: {
            'filters.hideTest': true,
            'filters.sortField': 'id_job' as const,
            'filters.sortDesc': true,
            'filters.paginationLines': 200,
          },
        },
      }),
    );
    // One that was undone before it started has sent nothing.
    return jobs.filter(({ startDate }) => startDate !== null);
  },
  refetchInterval: 5_000,
});

/** What opens first: the way to a first message, or how the last ones are doing. */
export function OverviewScreen() {
  const { words } = useWords();
  const site = useSite();
  const jobs = useQuery(jobsOf(site.name));
  const campaigns = useQuery({
    queryKey: ['campaigns', site.name, 'recent'],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns', {
          params: {
            path: { idsite: site.name },
            query: { 'filter.sortBy': 'LastUpdateDate', 'filter.order': 'DESC', 'filter.limit': 50 },
          },
        }),
      ),
  });
  const error = jobs.error ?? campaigns.error;
  if (error && !(jobs.data && campaigns.data))
    return (
      <Page title={words.overview.title}>
        <Failed error={error} retry={() => void Promise.all([jobs.refetch(), campaigns.refetch()])} />
      </Page>
    );
  if (!jobs.data || !campaigns.data)
    return (
      <Page title={words.overview.title}>
        <Loading />
      </Page>
    );
  const { items } = campaigns.data;
  const hasSent =
    jobs.data.length > 0 || items.some(({ schedulingInfos }) => schedulingInfos.state === 'Finished');
  return hasSent ? <SentOverview jobs={jobs.data} campaigns={items} /> : <FirstSteps draft={items.at(-1)} />;
}

export type Job = Awaited<ReturnType<ReturnType<typeof jobsOf>['queryFn']>>[number];
