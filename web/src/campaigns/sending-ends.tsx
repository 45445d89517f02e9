import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
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

/** Announces on every screen when a sending of the site ends, whoever requested it, with the way to its report. */
export function SendingEnds() {
  const say = useAnnouncement();
  /** Campaigns of the real jobs that this tab has seen open. */
  const open = useRef(new Map<number, number>());
  /** Open jobs that a new connection has named so far. */
  const named = useRef(new Set<number>());
  const end = (idJob: number, idCampaign: number) => {
    open.current.delete(idJob);
    void say(idJob, idCampaign);
  };
  useEvents(
    'job',
    true,
    ({ idJob, idCampaign, isTest, state }, isFirst) => {
      if (isTest || typeof idJob !== 'number' || typeof idCampaign !== 'number') return;
      if (isFirst) named.current.add(idJob);
      if (!isFinalJob(String(state))) open.current.set(idJob, idCampaign);
      else if (open.current.has(idJob)) end(idJob, idCampaign);
    },
    () => {
      // A new connection names what is open: the others have ended while the tab was hidden or offline.
      for (const [idJob, idCampaign] of open.current) if (!named.current.has(idJob)) end(idJob, idCampaign);
      named.current.clear();
    },
  );
  return null;
}

function useAnnouncement(): (idJob: number, idCampaign: number) => Promise<void> {
  const { words, format } = useWords();
  const { ended, openReport, uncertainToo } = useRunWords();
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (idJob, idCampaign) => {
    const query = { 'filters.idsCampaign': [idCampaign], 'filters.hideTest': true, 'filters.sortDesc': true };
    const params = { path: { idsite: site.name }, query };
    const jobs = await dataOf(api.GET('/v1/{idsite}/statistics/jobs', { params })).catch(() => []);
    const job = jobs.find((one) => one.idJob === idJob);
    // One that was stopped before it began was undone.
    if (!job?.startDate || !isFinalJob(job.jobStateName) || !announce(site.name, idJob)) return;
    void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    const people = words.campaigns.people(format.count(job.nbAddressSent), job.nbAddressSent === 1);
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
  };
}
