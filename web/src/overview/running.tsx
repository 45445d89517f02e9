import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { type Campaign, isRunning, runningJobOf, stateOf } from '../campaigns/campaign.ts';
import type { JobFigure } from '../campaigns/campaign-figures.tsx';
import { useRunWords } from '../campaigns/report-words.ts';
import { useFreezing } from '../campaigns/use-freezing.ts';
import { useRunChange } from '../campaigns/use-run-change.ts';
import { useSpeeds } from '../campaigns/use-speed.ts';
import { StateOf } from '../parts/state.tsx';
import { Loading } from '../parts/states.tsx';
import { useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { CampaignLink } from './campaign-link.tsx';
import type { Job } from './overview-screen.tsx';
import { Quiet } from './quiet.tsx';
import { SpeedUnderBar } from './speed-under-bar.tsx';
import { useSentWords } from './words.ts';

/** Sendings that there is room for. */
const shownRuns = 3;

/** A sending that is going on. */
interface Run {
  readonly idCampaign: number;
  readonly name: string;
  readonly state: string;
  /** Undefined until its audience is known. */
  readonly job: Job | undefined;
  /** People found so far while its audience is being frozen. */
  readonly found: number;
}

/** States in the order in which sendings are shown; `Programmed` means the delay before the start. */
const order = ['InProgress', 'Generating', 'Paused', 'Programmed'];
const goingOn = ['Sending', 'Paused', 'Generating'];

const isFreezing = (job: Job): boolean => job.jobStateName === 'Generating';

/** Running campaigns, and those that only their jobs show: they were changed longer ago than the newest ones. */
function runsOf(jobs: readonly Job[], campaigns: readonly Campaign[]): readonly Run[] {
  const known = new Set(campaigns.map(({ id }) => id));
  const foundBy = (job: Job | undefined) => (job && isFreezing(job) ? job.nbAddressToSend : 0);
  const all: readonly Run[] = [
    ...campaigns.filter(isRunning).map((campaign) => {
      const { id, parameters } = campaign;
      const last = jobs.find(({ idCampaign }) => idCampaign === id);
      const job = runningJobOf(campaign, last);
      return { idCampaign: id, name: parameters.name, state: stateOf(campaign), job, found: foundBy(last) };
    }),
    ...jobs
      .filter(({ idCampaign, jobStateName }) => !known.has(idCampaign) && goingOn.includes(jobStateName))
      .map((job) => ({
        ...{ idCampaign: job.idCampaign, name: job.campaignName },
        state: job.jobStateName === 'Sending' ? 'InProgress' : job.jobStateName,
        job: job.nbAddressToSend > 0 && !isFreezing(job) ? job : undefined,
        found: foundBy(job),
      })),
  ];
  const placeOf = ({ state }: Run) => order.indexOf(state);
  return [...all].sort((a, b) => placeOf(a) - placeOf(b));
}

interface RunningProps {
  readonly jobs: readonly Job[];
  /** When the jobs were read, in milliseconds since 1970. */
  readonly at: number;
  readonly campaigns: readonly Campaign[];
  /** Shows the people behind a figure of a job. */
  readonly open: (job: Job, source: JobFigure['source']) => void;
}

/** Running sendings with their progress and the means to pause them; otherwise the scheduled ones, or the last. */
export function Running({ jobs, at, campaigns, open }: RunningProps) {
  const overview = useSentWords();
  const site = useSite();
  const runs = runsOf(jobs, campaigns);
  const news = useNews(runs.length > 0);
  if (runs.length === 0) return <Quiet jobs={jobs} />;
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{overview.running}</h2>
        {runs.length > 1 && <span className="pill">{runs.length}</span>}
      </div>
      <Suspense fallback={<Loading rows={3} />}>
        {runs.slice(0, shownRuns).map((run) => (
          <RunningOne
            key={run.idCampaign}
            run={run}
            at={at}
            news={run.job ? news.get(run.job.idJob) : undefined}
            open={open}
          />
        ))}
      </Suspense>
      {runs.length > shownRuns && (
        <p className="run-one small">
          <Link
            className="link"
            to="/$site/campaigns"
            params={{ site: site.name }}
            search={{ part: 'sending' }}
          >
            {overview.attention.more(runs.length - shownRuns)}
          </Link>
        </p>
      )}
    </section>
  );
}

/** What the stream of events says about a job. */
interface News {
  readonly accepted: number;
  readonly at: number;
}

/** The progress of jobs by the stream, while something runs: it is read more often than the jobs are. */
function useNews(isOn: boolean): ReadonlyMap<number, News> {
  const site = useSite();
  const queries = useQueryClient();
  const [news, setNews] = useState<ReadonlyMap<number, News>>(new Map());
  useEvents('job', isOn, ({ idJob, nbAddressSent, state }) => {
    if (typeof idJob !== 'number' || typeof nbAddressSent !== 'number') return;
    setNews((before) => new Map(before).set(idJob, { accepted: nbAddressSent, at: Date.now() }));
    if (state === 'Sending') return;
    for (const what of ['jobs', 'campaigns']) void queries.invalidateQueries({ queryKey: [what, site.name] });
  });
  return news;
}

interface RunningOneProps extends Pick<RunningProps, 'at' | 'open'> {
  readonly run: Run;
  readonly news: News | undefined;
}

function RunningOne({ run: { idCampaign, name, state, job, found }, at, news, open }: RunningOneProps) {
  const { format } = useWords();
  const overview = useSentWords();
  const run = useRunWords();
  const freezing = useFreezing();
  const site = useSite();
  const accepted = Math.max(job?.nbAddressSent ?? 0, news?.accepted ?? 0);
  const measuredAt = Math.max(at, news?.at ?? 0);
  const speeds = useSpeeds(accepted, job ? measuredAt : 0);
  const { speed } = speeds;
  const shown = state === 'InProgress' && !job ? 'Generating' : state;
  const isMoving = state === 'InProgress';
  const whole = job?.nbAddressToSend ?? 0;
  const seconds = isMoving && speed ? (whole - accepted) / speed : undefined;
  const done = seconds === undefined ? undefined : format.time(new Date(measuredAt + seconds * 1_000));
  return (
    <article className="run-one stack" aria-label={name}>
      <div className="row">
        <StateOf state={shown} />
        <span className="row run-acts">
          <Link
            className="link small"
            to="/$site/campaigns/$idCampaign"
            params={{ site: site.name, idCampaign: String(idCampaign) }}
          >
            {overview.watch}
          </Link>
          <PauseButton idCampaign={idCampaign} state={state} />
        </span>
      </div>
      <CampaignLink id={idCampaign} name={name} />
      {shown === 'Generating' && <p className="small text-2">{freezing(found)}</p>}
      {job?.startDate && (
        <p className="small text-2">
          {overview.startedBy(format.time(job.startDate), job.author)}
          {done !== undefined && overview.doneAt(done)}
        </p>
      )}
      {job && (
        <>
          <p className="row run-count">
            <span>
              <b className="run-accepted">
                {accepted === 0 ? (
                  format.count(accepted)
                ) : (
                  <button
                    type="button"
                    className="fig"
                    aria-label={`${format.count(accepted)} ${overview.acceptedOf(format.count(whole))}: ${name}`}
                    onClick={() => open({ ...job, nbAddressSent: accepted }, 'nbAddressSent')}
                  >
                    {format.count(accepted)}
                  </button>
                )}
              </b>{' '}
              <span className="text-2 small">{overview.acceptedOf(format.count(whole))}</span>
            </span>
            <b>{format.share(accepted, whole)}</b>
          </p>
          <div
            className="meter"
            role="img"
            aria-label={`${format.count(accepted)} ${overview.acceptedOf(format.count(whole))}`}
          >
            <i style={{ width: `${(100 * accepted) / whole}%`, background: 'var(--f-c1)' }} />
          </div>
          <p className="small text-2">
            {isMoving && run.speed(speed === undefined ? '–' : format.count(speed))}
          </p>
          {job.startDate && <SpeedUnderBar speeds={speeds} whole={whole} start={Date.parse(job.startDate)} />}
        </>
      )}
    </article>
  );
}

/** Pauses at once, or resumes; for those who may send. Not in the delay before the start. */
function PauseButton({ idCampaign, state }: Pick<Run, 'idCampaign' | 'state'>) {
  const run = useRunWords();
  const site = useSite();
  const change = useRunChange(idCampaign);
  if (!site.may('sender') || !['InProgress', 'Paused'].includes(state)) return null;
  const isPaused = state === 'Paused';
  const Glyph = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <Button
      size="xs"
      leftSection={<Glyph size={14} aria-hidden />}
      onClick={() => change(isPaused ? 'send-now' : 'pause')}
    >
      {isPaused ? run.resume : run.pause}
    </Button>
  );
}
