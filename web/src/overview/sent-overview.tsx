import { NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type Campaign, isRunning, runningJobOf, stateOf } from '../campaigns/campaign.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { StateOf } from '../parts/state.tsx';
import { Empty, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { Attention } from './attention.tsx';
import type { Job } from './overview-screen.tsx';
import { type Period, periods, readOverviewSearch } from './periods.ts';
import { useSentWords } from './words.ts';

const shownJobs = 8;

const GrowthAndProviders = lazy(async () => ({ default: (await import('./growth.tsx')).GrowthAndProviders }));

/** What runs, what needs attention, the figures of a period, and the last sendings. */
export function SentOverview({ jobs, earlier, campaigns, days }: SentOverviewProps) {
  const { words } = useWords();
  const overview = useSentWords();
  const site = useSite();
  return (
    <Page
      title={words.overview.title}
      actions={
        <>
          <PeriodChoice days={days} />
          {site.may('editor') && (
            <LinkButton
              to="/$site/campaigns/new"
              params={{ site: site.name }}
              variant="filled"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              {overview.newCampaign}
            </LinkButton>
          )}
        </>
      }
    >
      <div className="halves">
        <Running jobs={jobs} campaigns={campaigns} />
        <Attention jobs={jobs} campaigns={campaigns} />
      </div>
      <Figures jobs={jobs} earlier={earlier} label={overview.periods[days]} />
      <Suspense fallback={<Loading />}>
        <GrowthAndProviders days={days} />
      </Suspense>
      <section className="card flush">
        <div className="card-head">
          <h2>{overview.last}</h2>
        </div>
        {jobs.length === 0 ? <Empty title={overview.none} /> : <LastJobs jobs={jobs.slice(0, shownJobs)} />}
      </section>
    </Page>
  );
}
interface SentOverviewProps {
  readonly jobs: readonly Job[];
  /** The jobs of the period before; undefined while they are read. */
  readonly earlier: readonly Job[] | undefined;
  readonly campaigns: readonly Campaign[];
  readonly days: Period;
}

/** Chooses the period, which the address keeps. */
function PeriodChoice({ days }: { readonly days: Period }) {
  const overview = useSentWords();
  const site = useSite();
  const navigate = useNavigate();
  return (
    <NativeSelect
      aria-label={overview.period}
      value={days}
      onChange={(event) =>
        void navigate({
          to: '/$site',
          params: { site: site.name },
          search: readOverviewSearch({ days: Number(event.currentTarget.value) }),
        })
      }
      data={periods.map((period) => ({ value: String(period), label: overview.periods[period] }))}
    />
  );
}

/** Running campaigns with their progress; otherwise the next scheduled ones. */
function Running({ jobs, campaigns }: Pick<SentOverviewProps, 'jobs' | 'campaigns'>) {
  const { format } = useWords();
  const overview = useSentWords();
  const running = campaigns.filter(isRunning);
  const scheduled = campaigns.filter((one) => stateOf(one) === 'Programmed' && !isRunning(one));
  const shown = running.length > 0 ? running : scheduled;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{running.length > 0 || scheduled.length === 0 ? overview.running : overview.nextOne}</h2>
      </div>
      <div className="card-body stack tight">
        {shown.length === 0 && <p className="small text-2">{overview.notRunning}</p>}
        {shown.slice(0, 3).map((campaign) => {
          const last = jobs.find(({ idCampaign }) => idCampaign === campaign.id);
          const job = runningJobOf(campaign, last);
          return (
            <div key={campaign.id} className="stack" style={{ gap: 6 }}>
              <div className="row" style={{ justifyContent: 'space-between' }}>
                <CampaignLink id={campaign.id} name={campaign.parameters.name} />
                <StateOf state={stateOf(campaign)} />
              </div>
              {job && (
                <>
                  <div
                    className="meter"
                    role="img"
                    aria-label={`${format.count(job.nbAddressSent)} / ${format.count(job.nbAddressToSend)}`}
                  >
                    <i
                      style={{
                        width: `${(100 * job.nbAddressSent) / job.nbAddressToSend}%`,
                        background: 'var(--f-c1)',
                      }}
                    />
                  </div>
                  <p className="label text-3">
                    {format.count(job.nbAddressSent)} / {format.count(job.nbAddressToSend)}
                  </p>
                </>
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function CampaignLink({ id, name }: { readonly id: number; readonly name: string }) {
  const site = useSite();
  return (
    <Link
      className="strong"
      to="/$site/campaigns/$idCampaign"
      params={{ site: site.name, idCampaign: String(id) }}
    >
      <bdi className="anywhere">{name}</bdi>
    </Link>
  );
}

const sum = (jobs: readonly Job[], of: (job: Job) => number) =>
  jobs.reduce((total, job) => total + of(job), 0);

const bouncedOf = (job: Job) =>
  job.nbHardBounces + job.nbSoftBounces + job.nbDnsErrorsBounces + job.nbSpamBounces;
const deliveredOf = (job: Job) => Math.max(0, job.nbAddressSent - bouncedOf(job));
const sentOf = (job: Job) => job.nbAddressSent;

interface FiguresProps {
  readonly jobs: readonly Job[];
  readonly earlier: readonly Job[] | undefined;
  readonly label: string;
}

/** Sums of the jobs of a period, and of the one before; opens are of people. */
function Figures({ jobs, earlier, label }: FiguresProps) {
  const { format } = useWords();
  const overview = useSentWords();
  const { figures } = overview;
  const shares = [
    [figures.delivered, deliveredOf, sentOf],
    [figures.opened, (job: Job) => job.nbHumanOpeners, deliveredOf],
    [figures.clicked, (job: Job) => job.nbClickers, deliveredOf],
    [figures.unsubscribed, (job: Job) => job.nbUnsubs, deliveredOf],
  ] as const;
  const before = earlier && sum(earlier, sentOf) > 0 ? earlier : undefined;
  return (
    <section className="card figures" aria-label={label}>
      <div>
        <span className="small text-2">{figures.sent}</span>
        <span className="figure-2">{format.count(sum(jobs, sentOf))}</span>
        {before && <span className="label text-3">{overview.before(format.count(sum(before, sentOf)))}</span>}
      </div>
      {shares.map(([name, part, whole]) => (
        <div key={name}>
          <span className="small text-2">{name}</span>
          <span className="figure-2">{format.share(sum(jobs, part), sum(jobs, whole))}</span>
          <span className="label text-3">
            {format.count(sum(jobs, part))}
            {before && ` · ${overview.before(format.share(sum(before, part), sum(before, whole)))}`}
          </span>
        </div>
      ))}
    </section>
  );
}

function LastJobs({ jobs }: { readonly jobs: readonly Job[] }) {
  const { format } = useWords();
  const { columns } = useSentWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.campaign}</th>
          <th>{columns.state}</th>
          <th className="num">{columns.sent}</th>
          <th className="num">{columns.delivered}</th>
          <th className="num">{columns.opened}</th>
          <th className="num">{columns.clicked}</th>
          <th className="num">{columns.unsubscribed}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.idJob}>
            <td className="title">
              <CampaignLink id={job.idCampaign} name={job.campaignName} />
              <p className="small text-3 cut">
                {job.startDate ? format.moment(job.startDate) : ''} {job.mailObject}
              </p>
            </td>
            <td>
              <StateOf
                state={job.jobStateName === 'Sending' ? 'InProgress' : job.jobStateName}
                uncertain={job.nbUncertain}
              />
            </td>
            <td className="num" data-label={columns.sent}>
              {format.count(job.nbAddressSent)}
            </td>
            <td className="num" data-label={columns.delivered}>
              {format.share(deliveredOf(job), job.nbAddressSent)}
            </td>
            <td className="num" data-label={columns.opened}>
              {format.share(job.nbHumanOpeners, deliveredOf(job))}
            </td>
            <td className="num" data-label={columns.clicked}>
              {format.share(job.nbClickers, deliveredOf(job))}
            </td>
            <td className="num" data-label={columns.unsubscribed}>
              {format.share(job.nbUnsubs, deliveredOf(job))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
