import { Menu, NativeSelect } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Campaign } from '../campaigns/campaign.ts';
import { type JobFigure, useJobPeople } from '../campaigns/campaign-figures.tsx';
import { keepFilters } from '../campaigns/kept-filters.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { DotsMenu } from '../parts/row-menu.tsx';
import { StateOf } from '../parts/state.tsx';
import { Empty, Page } from '../parts/states.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useWords } from '../words/words.tsx';
import { Attention } from './attention.tsx';
import { CampaignLink } from './campaign-link.tsx';
import { deliveredOf, Figures } from './figures.tsx';
import type { Job } from './overview-screen.tsx';
import { type Period, periods, readOverviewSearch } from './periods.ts';
import { Running } from './running.tsx';
import { useSentWords } from './words.ts';

const shownJobs = 8;

const GrowthAndProviders = lazyPart(async () => (await import('./growth.tsx')).GrowthAndProviders);

/** What runs, what needs attention, the figures of a period, and the last sendings. */
export function SentOverview({ jobs, jobsAt, earlier, campaigns, days }: SentOverviewProps) {
  const { words } = useWords();
  const overview = useSentWords();
  const site = useSite();
  const { user } = useMe();
  const people = useJobPeople();
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
        <Running jobs={jobs} at={jobsAt} campaigns={campaigns} open={people.open} />
        <Attention jobs={jobs} campaigns={campaigns} />
      </div>
      <Figures jobs={jobs} earlier={earlier} days={days} show={people.show} />
      <Opened>
        <GrowthAndProviders days={days} />
      </Opened>
      <section className="card flush">
        <div className="card-head">
          <h2>{overview.last}</h2>
          <span className="aside">
            <Link
              className="link small"
              to="/$site/campaigns"
              params={{ site: site.name }}
              search={{}}
              // Without the filters that the user left there.
              onClick={() => keepFilters(user.id, site.name, {})}
            >
              {overview.all}
            </Link>
          </span>
        </div>
        {jobs.length === 0 ? (
          <Empty title={overview.none} text={overview.noneText} />
        ) : (
          <LastJobs jobs={jobs.slice(0, shownJobs)} open={people.open} />
        )}
      </section>
      {people.drawer}
    </Page>
  );
}
interface SentOverviewProps {
  readonly jobs: readonly Job[];
  /** When they were read, in milliseconds since 1970. */
  readonly jobsAt: number;
  /** The jobs of the period before; undefined while they are read. */
  readonly earlier: readonly Job[] | undefined;
  readonly campaigns: readonly Campaign[];
  readonly days: Period;
}

/** Chooses the period, which the address keeps; `[` and `]` let it begin earlier and later. */
function PeriodChoice({ days }: { readonly days: Period }) {
  const overview = useSentWords();
  const site = useSite();
  const navigate = useNavigate();
  const { earlier, later } = overview.keys;
  const go = (period: number) =>
    void navigate({
      to: '/$site',
      params: { site: site.name },
      search: readOverviewSearch({ days: period }),
    });
  const place = periods.indexOf(days);
  const [longer, shorter] = [periods[place + 1], periods[place - 1]];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function only changes the address
  const shortcuts = useMemo(
    () => [
      ...(longer ? [{ keys: '[', label: earlier, run: () => go(longer) }] : []),
      ...(shorter ? [{ keys: ']', label: later, run: () => go(shorter) }] : []),
    ],
    [longer, shorter, earlier, later, site.name],
  );
  useShortcuts(shortcuts);
  const isPhone = useIsPhone();
  if (isPhone)
    return (
      <DotsMenu label={overview.period}>
        {periods.map((period) => (
          <Menu.Item
            key={period}
            rightSection={period === days && <IconCheck size={16} aria-hidden />}
            onClick={() => go(period)}
          >
            {overview.periods[period]}
          </Menu.Item>
        ))}
      </DotsMenu>
    );
  return (
    <NativeSelect
      aria-label={overview.period}
      value={days}
      onChange={(event) => go(Number(event.currentTarget.value))}
      data={periods.map((period) => ({ value: String(period), label: overview.periods[period] }))}
    />
  );
}

/** Columns of figures, whose people are shown: a number, or a share of a whole. */
const figures = [
  { column: 'sent', source: 'nbAddressSent', part: (job: Job) => job.nbAddressSent },
  { column: 'delivered', source: 'nbDelivered', part: deliveredOf, whole: (job: Job) => job.nbAddressSent },
  { column: 'opened', source: 'nbHumanOpeners', part: (job: Job) => job.nbHumanOpeners, whole: deliveredOf },
  {
    column: 'clicked',
    source: 'nbHumanClickers',
    part: (job: Job) => job.nbHumanClickers,
    whole: deliveredOf,
  },
  { column: 'unsubscribed', source: 'nbUnsubs', part: (job: Job) => job.nbUnsubs, whole: deliveredOf },
] as const;

interface LastJobsProps {
  readonly jobs: readonly Job[];
  readonly open: (job: Job, source: JobFigure['source']) => void;
}

function LastJobs({ jobs, open }: LastJobsProps) {
  const { format } = useWords();
  const { columns } = useSentWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.campaign}</th>
          <th>{columns.state}</th>
          {figures.map(({ column }) => (
            <th key={column} className="num">
              {columns[column]}
            </th>
          ))}
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
            {figures.map(({ column, source, part, ...share }) => {
              const count = part(job);
              const text = 'whole' in share ? format.share(count, share.whole(job)) : format.count(count);
              return (
                <td key={column} className="num" data-label={columns[column]}>
                  {count === 0 ? (
                    text
                  ) : (
                    <button
                      type="button"
                      className="fig"
                      aria-label={`${columns[column]}: ${text}, ${job.campaignName}`}
                      onClick={() => open(job, source)}
                    >
                      {text}
                    </button>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
