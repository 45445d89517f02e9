import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { isFinalJob } from './campaign.ts';
import { useRunWords } from './report-words.ts';

/** Jobs whose end this browser has announced, newest last; tabs share them. */
const mostKept = 100;
const keyOf = (site: string) => `facteur.ended.${site}`;

function announced(site: string): readonly number[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(site)) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Notes that the end of a job is announced. Returns false if it was before. */
function announce(site: string, idJob: number): boolean {
  const kept = announced(site);
  if (kept.includes(idJob)) return false;
  try {
    localStorage.setItem(keyOf(site), JSON.stringify([...kept, idJob].slice(-mostKept)));
  } catch {
    // Without storage each tab announces it.
  }
  return true;
}

/** The stream is open only while a job is: what other users start is noticed at this interval. */
const lookMs = 60_000;
/** A job that waits may start within this time: it was requested now. Later ones are noticed when they start. */
const delayMs = 300_000;
/** Jobs that are looked at, the newest. */
const mostJobs = 50;

/** The newest jobs. Every change of a campaign in this tab renews it. */
function useNewestJobs() {
  const site = useSite();
  return useQuery({
    queryKey: ['campaigns', site.name, 'newest jobs'],
    refetchInterval: lookMs,
    queryFn: () => {
      const query = {
        ...{ 'filters.hideTest': true, 'filters.sortDesc': true, 'filters.paginationLines': mostJobs },
      };
      return dataOf(
        api.GET('/v1/{idsite}/statistics/jobs', { params: { path: { idsite: site.name }, query } }),
      );
    },
  });
}

/** Announces on every screen when a sending of the site ends, whoever requested it, with the way to its report. */
export function SendingEnds() {
  const say = useAnnouncement();
  /** Campaigns of the real jobs that this tab has seen open, until their end is settled. */
  const open = useRef(new Map<number, number>());
  /** Open jobs that the connection has named so far. */
  const named = useRef(new Set<number>());
  const end = async (idJob: number, idCampaign: number) => {
    if (await say(idJob, idCampaign)) open.current.delete(idJob);
  };
  const endOthers = (stillOpen: ReadonlySet<number>) => {
    for (const [idJob, idCampaign] of open.current) if (!stillOpen.has(idJob)) void end(idJob, idCampaign);
  };
  const latest = useRef(endOthers);
  latest.current = endOthers;
  const { data: jobs, dataUpdatedAt } = useNewestJobs();
  /** When this tab first saw each job, in milliseconds since 1970. */
  const seen = useRef<Map<number, number>>(undefined);
  const openJobs = jobs?.filter(({ jobStateName }) => !isFinalJob(jobStateName)) ?? [];
  const isSoon = (idJob: number) => dataUpdatedAt - (seen.current?.get(idJob) ?? dataUpdatedAt) < delayMs;
  const isOn = openJobs.some(({ idJob, jobStateName }) => jobStateName !== 'Programmed' || isSoon(idJob));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading counts, also one that finds the same
  useEffect(() => {
    if (!jobs) return;
    const before = seen.current;
    // Another user's may have begun and ended since the last reading.
    for (const { idJob, idCampaign, jobStateName } of jobs)
      if (!isFinalJob(jobStateName) || (before && !before.has(idJob))) open.current.set(idJob, idCampaign);
    seen.current = new Map(jobs.map(({ idJob }) => [idJob, before?.get(idJob) ?? dataUpdatedAt]));
    // One whose end could not be read is tried again.
    latest.current(new Set(openJobs.map(({ idJob }) => idJob)));
  }, [dataUpdatedAt]);
  useEvents(
    'job',
    isOn,
    ({ idJob, idCampaign, isTest, state }, isFirst) => {
      if (isTest || typeof idJob !== 'number' || typeof idCampaign !== 'number') return;
      if (isFirst) named.current.add(idJob);
      if (!isFinalJob(String(state))) open.current.set(idJob, idCampaign);
      else if (open.current.has(idJob)) void end(idJob, idCampaign);
    },
    {
      opened: () => named.current.clear(),
      // The connection has named what is open: the others have ended while the tab was hidden or offline.
      begun: () => endOthers(named.current),
    },
  );
  return null;
}

/** Returns a function that announces the end of a job, and returns false if it may have to be called again. */
function useAnnouncement(): (idJob: number, idCampaign: number) => Promise<boolean> {
  const { words, format } = useWords();
  const { ended, openReport, uncertainToo } = useRunWords();
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (idJob, idCampaign) => {
    const query = { 'filters.idsCampaign': [idCampaign], 'filters.hideTest': true, 'filters.sortDesc': true };
    const params = { path: { idsite: site.name }, query };
    const jobs = await dataOf(api.GET('/v1/{idsite}/statistics/jobs', { params })).catch(() => undefined);
    if (!jobs) return false;
    const job = jobs.find((one) => one.idJob === idJob);
    if (job && !isFinalJob(job.jobStateName)) return false;
    // One that was stopped before it began was undone.
    if (!job?.startDate || !announce(site.name, idJob)) return true;
    void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    const people = words.campaigns.people(format.count(job.nbAddressSent), format.isOne(job.nbAddressSent));
    const say = ended[job.jobStateName as keyof typeof ended] ?? ended.Finished;
    const uncertain = job.nbUncertain > 0 ? ` ${uncertainToo(format.count(job.nbUncertain))}` : '';
    toast({
      text: `${say(job.campaignName, people)}${uncertain}`,
      seconds: 20,
      action: {
        label: openReport,
        run: () =>
          navigate({
            to: '/$site/campaigns/$idCampaign',
            params: { site: site.name, idCampaign: String(idCampaign) },
          }),
      },
    });
    return true;
  };
}
