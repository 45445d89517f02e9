import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { components } from '../api/schema.d.ts';
import { lazyPart } from '../parts/opened.tsx';
import { Failed, Loading, Page } from '../parts/states.tsx';
import { findMe, siteOf, useSite } from '../session/session.tsx';
import { loadServiceText } from '../words/service-text.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { FirstSteps } from './first-steps.tsx';
import { areStepsHidden, hideSteps } from './hidden.ts';
import { usualPeriod } from './periods.ts';
import { useSentWords } from './words.ts';

// The first steps are small, and come with the console.
const SentOverview = lazyPart(async () => {
  const [{ SentOverview }] = await Promise.all([
    import('./sent-overview.tsx'),
    useSentWords.load(),
    usePartWords.load(),
    loadServiceText(),
  ]);
  return SentOverview;
});

export type Job = components['schemas']['JobRecord'];

const dayMs = 86_400_000;
const pageLines = 200;
/** So many lines are summed at most; the newest first. */
const mostLines = 1_000;
/** The service lists jobs of at most six months at a time. */
const mostDays = 180;

/** Real jobs of so many days that end so many days ago, the newest first. */
async function readJobs(idsite: string, days: number, ago: number): Promise<Job[]> {
  if (days > mostDays) {
    const newest = await readJobs(idsite, mostDays, ago);
    if (newest.length >= mostLines) return newest;
    return [...newest, ...(await readJobs(idsite, days - mostDays, ago + mostDays))];
  }
  const end = Date.now() - ago * dayMs;
  const all: Job[] = [];
  for (;;) {
    const page = await dataOf(
      api.GET('/v1/{idsite}/statistics/jobs', {
        params: {
          path: { idsite },
          query: {
            'filters.startDate': new Date(end - days * dayMs).toISOString(),
            'filters.endDate': new Date(end).toISOString(),
            'filters.hideTest': true,
            'filters.sortField': 'id_job' as const,
            'filters.sortDesc': true,
            'filters.paginationLines': pageLines,
            'filters.paginationOffset': all.length,
          },
        },
      }),
    );
    all.push(...page);
    // One that was undone before it started has sent nothing.
    if (page.length < pageLines || all.length >= mostLines)
      return all.filter(({ startDate }) => startDate !== null);
  }
}

const jobsOf = (idsite: string, days: number) => ({
  queryKey: ['jobs', idsite, days],
  queryFn: () => readJobs(idsite, days, 0),
  placeholderData: keepPreviousData,
  refetchInterval: 5_000,
});

/** The jobs of the period before, with which the figures are compared. */
const earlierJobsOf = (idsite: string, days: number) => ({
  queryKey: ['jobs', idsite, days, 'before'],
  queryFn: () => readJobs(idsite, days, days),
  staleTime: 300_000,
});

/** The newest campaigns, which begin and end without the reader. */
const campaignsOf = (idsite: string) => ({
  queryKey: ['campaigns', idsite, 'recent'],
  queryFn: () =>
    dataOf(
      api.GET('/v1/{idsite}/campaigns', {
        params: {
          path: { idsite },
          query: { 'filter.sortBy': 'LastUpdateDate', 'filter.order': 'DESC', 'filter.limit': 50 },
        },
      }),
    ),
  refetchInterval: 5_000,
});

/** Asks for what the overview of a site shows, while the texts are still on their way. */
export async function loadOverview(idsite: string, days = usualPeriod): Promise<void> {
  const me = await findMe();
  if (!(me && siteOf(me, idsite))) return;
  void queryClient.prefetchQuery(jobsOf(idsite, days));
  void queryClient.prefetchQuery(campaignsOf(idsite));
  void queryClient.prefetchQuery(earlierJobsOf(idsite, days));
}

const route = getRouteApi('/$site/');

/** What opens first: the way to a first message, or how the last ones are doing. */
export function OverviewScreen() {
  const { words } = useWords();
  const site = useSite();
  const { days = usualPeriod, steps } = route.useSearch();
  const navigate = useNavigate();
  const [areHidden, setHidden] = useState(() => areStepsHidden(site.name));
  const jobs = useQuery(jobsOf(site.name, days));
  const earlier = useQuery(earlierJobsOf(site.name, days));
  const campaigns = useQuery(campaignsOf(site.name));
  const hide = () => {
    hideSteps(site.name);
    setHidden(true);
    void navigate({ to: '/$site', params: { site: site.name } });
  };
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
  return (
    <Suspense
      fallback={
        <Page title={words.overview.title}>
          <Loading />
        </Page>
      }
    >
      {steps || !(hasSent || areHidden) ? (
        <FirstSteps draft={items.at(-1)} hide={hide} />
      ) : (
        <SentOverview
          jobs={jobs.data}
          jobsAt={jobs.dataUpdatedAt}
          earlier={earlier.data}
          campaigns={items}
          days={days}
        />
      )}
    </Suspense>
  );
}
