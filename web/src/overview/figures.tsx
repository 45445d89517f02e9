import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CountedFigure } from '../campaigns/people-figure.ts';
import { useSite } from '../session/session.tsx';
import { countQuery } from '../subscribers/count-query.ts';
import { useWords } from '../words/words.tsx';
import { growthOf } from './growth-data.ts';
import type { Job } from './overview-screen.tsx';
import type { Period } from './periods.ts';
import { useSentWords } from './words.ts';

const sum = (jobs: readonly Job[], of: (job: Job) => number) =>
  jobs.reduce((total, job) => total + of(job), 0);

const bouncedOf = (job: Job) =>
  job.nbHardBounces + job.nbSoftBounces + job.nbDnsErrorsBounces + job.nbSpamBounces;
/** Recipients of a job whose message arrived, as far as the service knows. */
export const deliveredOf = (job: Job): number => Math.max(0, job.nbAddressSent - bouncedOf(job));
const sentOf = (job: Job) => job.nbAddressSent;

interface FiguresProps {
  readonly jobs: readonly Job[];
  /** The jobs of the period before; undefined while they are read. */
  readonly earlier: readonly Job[] | undefined;
  readonly days: Period;
  readonly show: (figure: CountedFigure) => void;
}

/** Shares of the deliveries of a period; opens and clicks are of people. */
const shares = [
  { name: 'delivered', source: 'nbDelivered', part: deliveredOf, whole: sentOf },
  { name: 'opened', source: 'nbHumanOpeners', part: (job: Job) => job.nbHumanOpeners, whole: deliveredOf },
  { name: 'clicked', source: 'nbHumanClickers', part: (job: Job) => job.nbHumanClickers, whole: deliveredOf },
  { name: 'unsubscribed', source: 'nbUnsubs', part: (job: Job) => job.nbUnsubs, whole: deliveredOf },
] as const;

/** The people of the site, and the shares of a period, each beside the period before; each opens its people. */
export function Figures({ jobs, earlier, days, show }: FiguresProps) {
  const { format } = useWords();
  const overview = useSentWords();
  const before = earlier && sum(earlier, sentOf) > 0 ? earlier : undefined;
  return (
    <section className="card figures" aria-label={overview.periods[days]}>
      <People days={days} />
      {shares.map(({ name, source, part, whole }) => {
        const count = sum(jobs, part);
        const share = format.share(count, sum(jobs, whole));
        const said = name === 'delivered' ? overview.periodBefore[days] : overview.before;
        return (
          <div key={name}>
            <span className="small text-2">{overview.figures[name]}</span>
            <span className="figure-2">
              {count === 0 ? (
                share
              ) : (
                <button
                  type="button"
                  className="fig"
                  aria-label={`${overview.figures[name]}: ${share}`}
                  onClick={() => show({ source, count, ids: [], days })}
                >
                  {share}
                </button>
              )}
            </span>
            <span className="label text-3">
              {before && said(format.share(sum(before, part), sum(before, whole)))}
            </span>
          </div>
        );
      })}
    </section>
  );
}

/** The people who can be written to now, and how many more or fewer they became; leads to the list of them. */
function People({ days }: { readonly days: Period }) {
  const { format } = useWords();
  const overview = useSentWords();
  const site = useSite();
  const { data: count } = useQuery({
    ...countQuery(site.name),
    staleTime: 30_000,
    refetchInterval: 60_000,
    select: ({ nbEligible }) => nbEligible,
  });
  const { data: growth } = useQuery(growthOf(site.name, days));
  const change = growth?.reduce((total, { nbJoined, nbLeft }) => total + nbJoined - nbLeft, 0);
  return (
    <div>
      <span className="small text-2">{overview.figures.people}</span>
      <span className="figure-2">
        {count === undefined ? (
          '–'
        ) : (
          <Link
            className="fig"
            to="/$site/subscribers"
            params={{ site: site.name }}
            search={{ state: 'eligible' }}
            aria-label={`${overview.figures.people}: ${format.count(count)}`}
          >
            {format.count(count)}
          </Link>
        )}
      </span>
      <span className="label text-3">
        {change !== undefined && (
          <>
            <span className={change > 0 ? 'green' : undefined}>
              {change > 0 ? '+' : ''}
              {format.count(change)}
            </span>{' '}
            {overview.within[days]}
          </>
        )}
      </span>
    </div>
  );
}
