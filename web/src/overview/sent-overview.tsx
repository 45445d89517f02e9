import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type Campaign, isRunning, stateOf } from '../campaigns/campaign.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { StateOf } from '../parts/state.tsx';
import { Empty, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Job } from './overview-screen.tsx';

const shownJobs = 8;

/** What runs, the figures of 30 days, and the last sendings. */
export function SentOverview({ jobs, campaigns }: SentOverviewProps) {
  const { words } = useWords();
  const { overview } = words;
  const site = useSite();
  return (
    <Page
      title={overview.title}
      sub={overview.period}
      actions={
        site.may('editor') && (
          <LinkButton
            to="/$site/campaigns/new"
            params={{ site: site.name }}
            variant="filled"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {overview.newCampaign}
          </LinkButton>
        )
      }
    >
      <Running jobs={jobs} campaigns={campaigns} />
      <Figures jobs={jobs} />
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
  readonly campaigns: readonly Campaign[];
}

/** Running campaigns with their progress; otherwise the next scheduled ones. */
function Running({ jobs, campaigns }: SentOverviewProps) {
  const { words, format } = useWords();
  const { overview } = words;
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
          const job = jobs.find(({ idCampaign }) => idCampaign === campaign.id);
          const isLive = isRunning(campaign) && job !== undefined && job.nbAddressToSend > 0;
          return (
            <div key={campaign.id} className="stack" style={{ gap: 6 }}>
              <div className="row" style={{ justifyContent: 'space-between' }}>
                <CampaignLink id={campaign.id} name={campaign.parameters.name} />
                <StateOf state={stateOf(campaign)} />
              </div>
              {isLive && (
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
      {name}
    </Link>
  );
}

const sum = (jobs: readonly Job[], of: (job: Job) => number) =>
  jobs.reduce((total, job) => total + of(job), 0);

/** Sums of the jobs of 30 days; opens and clicks are of people. */
function Figures({ jobs }: { readonly jobs: readonly Job[] }) {
  const { words, format } = useWords();
  const { figures } = words.overview;
  const sent = sum(jobs, (job) => job.nbAddressSent);
  const shown = [
    [figures.opened, sum(jobs, (job) => job.nbHumanOpeners)],
    [figures.clicked, sum(jobs, (job) => job.nbClickers)],
    [figures.bounced, sum(jobs, (job) => job.nbTotalBounces)],
    [figures.unsubscribed, sum(jobs, (job) => job.nbUnsubs)],
  ] as const;
  return (
    <section className="card figures" aria-label={words.overview.period}>
      <div>
        <span className="small text-2">{figures.sent}</span>
        <span className="figure-2">{format.count(sent)}</span>
      </div>
      {shown.map(([name, value]) => (
        <div key={name}>
          <span className="small text-2">{name}</span>
          <span className="figure-2">{format.count(value)}</span>
          <span className="label text-3">{format.share(value, sent)}</span>
        </div>
      ))}
    </section>
  );
}

function LastJobs({ jobs }: { readonly jobs: readonly Job[] }) {
  const { words, format } = useWords();
  const { columns } = words.overview;
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.campaign}</th>
          <th>{columns.state}</th>
          <th className="num">{columns.sent}</th>
          <th className="num">{columns.opened}</th>
          <th className="num">{columns.clicked}</th>
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
              <StateOf state={job.jobStateName === 'Sending' ? 'InProgress' : job.jobStateName} />
            </td>
            <td className="num" data-label={columns.sent}>
              {format.count(job.nbAddressSent)}
            </td>
            <td className="num" data-label={columns.opened}>
              {format.share(job.nbHumanOpeners, job.nbAddressSent)}
            </td>
            <td className="num" data-label={columns.clicked}>
              {format.share(job.nbClickers, job.nbAddressSent)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
