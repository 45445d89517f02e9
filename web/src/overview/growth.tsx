import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { GrowthFigure } from '../campaigns/growth-people.ts';
import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { GrowthChart } from './growth-chart.tsx';
import {
  barsOf,
  daysOfPeriod,
  type GrowthBar,
  type GrowthDay,
  type GrowthPart,
  growthOf,
  isByWeek,
  type Outstanding,
  outstandingOf,
  type ProviderResults,
  peopleOf,
  recentProvidersOf,
} from './growth-data.ts';
import { useSentWords } from './words.ts';
import './growth.css';

/** Who joined and left in a period, and what was not delivered by provider. */
export function GrowthAndProviders({ days }: { readonly days: number }) {
  return (
    <div className="sevenths">
      <Growth days={days} />
      <RecentProviders days={days} />
    </div>
  );
}

function Growth({ days }: { readonly days: number }) {
  const { format } = useWords();
  const { growth: texts, periods } = useSentWords();
  const site = useSite();
  const { data, error, refetch } = useQuery(growthOf(site.name, days));
  const when = periods[days as keyof typeof periods];
  const figureOf = (figure: GrowthFigure['figure'], say: (count: string) => string) => {
    const count = (data ?? []).reduce((total, day) => total + day[figure], 0);
    return (
      <GrowthPeople
        growth={{ figure, ...daysOfPeriod(days, Date.now()) }}
        {...{ count, when, said: say(format.count(count)) }}
      />
    );
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.title}</h2>
        {data && (
          <span className="row small text-2" style={{ marginLeft: 'auto' }}>
            <Name colour="var(--f-c1)">{figureOf('nbJoined', texts.joined)}</Name>
            <Name colour="var(--f-c3)">{figureOf('nbLeft', texts.left)}</Name>
          </span>
        )}
      </div>
      <div className="card-body">
        {error && !data && <Failed error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading rows={8} />}
        {data?.length === 0 && <Empty title={texts.none} />}
        {data && data.length > 0 && <Bars growth={data} days={days} />}
      </div>
    </section>
  );
}

interface GrowthPeopleProps {
  readonly growth: GrowthFigure;
  readonly count: number;
  /** The days in words. */
  readonly when: string;
  /** The number and what they did. */
  readonly said: string;
}

/** A number of people who joined or left, which opens them. */
function GrowthPeople({ growth, count, when, said }: GrowthPeopleProps) {
  const title = `${said.charAt(0).toUpperCase()}${said.slice(1)} · ${when}`;
  return <OpenedFigure figure={{ source: 'growth', growth, ids: [], count, title }}>{said}</OpenedFigure>;
}

function Name({ colour, children }: { readonly colour: string; readonly children: ReactNode }) {
  return (
    <span className="row" style={{ gap: 6 }}>
      <span className="growth-name" style={{ background: colour }} aria-hidden />
      {children}
    </span>
  );
}

/** The causes that the words for a bar name. */
const namedCauses = 3;

function Bars({ growth, days }: { readonly growth: readonly GrowthDay[]; readonly days: number }) {
  const { format } = useWords();
  const texts = useSentWords().growth;
  const cause = useCause();
  const read = ({ from, joined, left, causes }: GrowthBar) => {
    const words = isByWeek(days) ? texts.week : texts.day;
    const sums = words(format.day(new Date(from)), format.count(joined), format.count(left));
    const largest = causes
      .map((part) => ({ part, count: part.nbJoined + part.nbLeft }))
      .sort((a, b) => b.count - a.count)
      .slice(0, namedCauses)
      .map(({ part, count }) => texts.part(format.count(count), cause(part)));
    return largest.length === 0 ? sums : `${sums} (${largest.join(', ')})`;
  };
  const note = outstandingOf(growth).map((one) => <Cause key={one.figure} outstanding={one} />);
  return <GrowthChart label={texts.chart} bars={barsOf(growth, days, Date.now())} read={read} note={note} />;
}

/** Returns the words for a cause; names are isolated, so that one from right to left does not turn what follows. */
function useCause(): (part: GrowthPart) => string {
  const texts = useSentWords().growth;
  return ({ cause, name }) =>
    name === '' ? texts.causes[cause] : `${texts.causes[cause]} \u2068${name}\u2069`;
}

/** A cause that stands out, with its day and a link to what it comes from. */
function Cause({ outstanding }: { readonly outstanding: Outstanding }) {
  const { date, figure, part } = outstanding;
  const { format } = useWords();
  const texts = useSentWords().growth;
  const site = useSite();
  const { cause, name, idImport, idCampaign } = part;
  const words = figure === 'nbJoined' ? texts.joinedBy : texts.leftBy;
  const source = <bdi className="anywhere">{name}</bdi>;
  const growth = peopleOf(outstanding);
  const said = words(format.count(part[figure]), texts.causes[cause]);
  const day = format.day(date);
  return (
    <span>
      {day}: {growth ? <GrowthPeople growth={growth} count={part[figure]} when={day} said={said} /> : said}
      {idImport > 0 && (
        <>
          {' '}
          <Link
            className="link"
            to="/$site/imports/$idImport"
            params={{ site: site.name, idImport: String(idImport) }}
          >
            {source}
          </Link>
        </>
      )}
      {idCampaign > 0 && (
        <>
          {' '}
          <Link
            className="link"
            to="/$site/campaigns/$idCampaign"
            params={{ site: site.name, idCampaign: String(idCampaign) }}
          >
            {source}
          </Link>
        </>
      )}
      {'. '}
    </span>
  );
}

/** Providers that are listed; the others are summed. */
const listedProviders = 7;
/** Below so many messages a share says nothing about a provider. */
const fewest = 20;

function RecentProviders({ days }: { readonly days: number }) {
  const { format } = useWords();
  const { growth: texts, columns, periods } = useSentWords();
  const site = useSite();
  const { data, error, refetch } = useQuery(recentProvidersOf(site.name, days));
  const rows = data ? rowsOf(data, texts.others) : [];
  const shareOf = (row: Row) => (row.nbSent < fewest ? 0 : row.nbNotDelivered / row.nbSent);
  const most = Math.max(...rows.map(shareOf), 0.01);
  const all = rows.reduce((sum, { nbSent }) => sum + nbSent, 0);
  const failed = rows.reduce((sum, { nbNotDelivered }) => sum + nbNotDelivered, 0);
  // Amber: more than twice the share of the whole, and at least one in a hundred.
  const isFar = (row: Row) => shareOf(row) > Math.max(0.01, (2 * failed) / Math.max(all, 1));
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{texts.providers}</h2>
        <span className="small text-3" style={{ marginLeft: 'auto' }}>
          {periods[days as keyof typeof periods]}
        </span>
      </div>
      {error && !data && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty title={texts.noProviders} text={texts.soonByProvider} />}
      {rows.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>{texts.provider}</th>
              <th className="num">{texts.sent}</th>
              <th className="num">{columns.opened}</th>
              <th>{texts.notDelivered}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td className="title anywhere">
                  <bdi>{row.name}</bdi>
                </td>
                <td className="num text-2" data-label={texts.sent}>
                  {format.count(row.nbSent)}
                </td>
                <td className="num" data-label={columns.opened}>
                  {format.share(row.nbHumanOpeners, row.nbSent - row.nbNotDelivered)}
                </td>
                <td data-label={texts.notDelivered}>
                  <div className="provider-bar">
                    <span className="num">{format.share(row.nbNotDelivered, row.nbSent)}</span>
                    <span className="meter" aria-hidden>
                      <i
                        style={{
                          width: `${(100 * shareOf(row)) / most}%`,
                          background: isFar(row) ? 'var(--f-c3)' : 'var(--f-control)',
                        }}
                      />
                    </span>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface Row {
  readonly name: string;
  readonly nbSent: number;
  readonly nbNotDelivered: number;
  readonly nbHumanOpeners: number;
}

/** The largest providers, then all others as one row. */
function rowsOf(data: readonly ProviderResults[], others: string): readonly Row[] {
  const named = data
    .filter(({ idFai }) => idFai > 0)
    .map((one) => ({ ...one, name: one.isp || String(one.idFai) }));
  const listed = named.slice(0, listedProviders);
  const rest = data.filter(({ idFai }) => !listed.some((one) => one.idFai === idFai));
  if (rest.length === 0) return listed;
  const sum = (of: Exclude<keyof Row, 'name'>) => rest.reduce((total, one) => total + one[of], 0);
  return [
    ...listed,
    {
      ...{ name: others, nbSent: sum('nbSent'), nbNotDelivered: sum('nbNotDelivered') },
      nbHumanOpeners: sum('nbHumanOpeners'),
    },
  ];
}
