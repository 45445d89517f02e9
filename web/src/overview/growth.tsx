import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { GrowthFigure } from '../campaigns/growth-people.ts';
import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import type { PeopleFigure } from '../campaigns/people-figure.ts';
import { Choice } from '../parts/choice.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { GrowthChart } from './growth-chart.tsx';
import {
  barsOf,
  daysOfBar,
  daysOfPeriod,
  type GrowthBar,
  type GrowthDay,
  type GrowthPart,
  growthOf,
  isByWeek,
  type Outstanding,
  outstandingOf,
  peopleOf,
} from './growth-data.ts';
import { RecentProviders } from './recent-providers.tsx';
import { useSentWords } from './words.ts';
import './growth.css';

const People = lazyPart(async () => (await import('../campaigns/people.tsx')).People);

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
function GrowthPeople({ said, ...props }: GrowthPeopleProps) {
  return <OpenedFigure figure={growthFigureOf({ said, ...props })}>{said}</OpenedFigure>;
}

function growthFigureOf({ growth, count, when, said }: GrowthPeopleProps): PeopleFigure {
  const title = `${said.charAt(0).toUpperCase()}${said.slice(1)} · ${when}`;
  return { source: 'growth', growth, ids: [], count, title };
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
  const [opened, setOpened] = useState<OpenedBar>();
  const [isOpen, setOpen] = useState(false);
  const open = (bar: GrowthBar, figure: GrowthFigure['figure']) => {
    setOpened({ bar, figure });
    setOpen(true);
  };
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
  return (
    <>
      <GrowthChart
        label={texts.chart}
        hint={texts.opens}
        bars={barsOf(growth, days, Date.now())}
        {...{ read, note, isOpen }}
        open={(bar, part) => {
          const [first, other] =
            part === 'below' || (part === undefined && bar.left > bar.joined)
              ? (['nbLeft', 'nbJoined'] as const)
              : (['nbJoined', 'nbLeft'] as const);
          const figure = [first, other].find((one) => countOf(bar, one) > 0);
          if (figure) open(bar, figure);
        }}
      />
      {opened && <BarPeople {...opened} {...{ days, isOpen, open }} close={() => setOpen(false)} />}
    </>
  );
}

/** A bar whose people are shown: those who joined, or those who left. */
interface OpenedBar {
  readonly bar: GrowthBar;
  readonly figure: GrowthFigure['figure'];
}

const countOf = (bar: GrowthBar, figure: GrowthFigure['figure']) =>
  figure === 'nbJoined' ? bar.joined : bar.left;

interface BarPeopleProps extends OpenedBar {
  readonly days: number;
  readonly isOpen: boolean;
  /** Shows the others of the bar. */
  readonly open: (bar: GrowthBar, figure: GrowthFigure['figure']) => void;
  readonly close: () => void;
}

/** Those who joined or left on the day of a bar, or in its week. */
function BarPeople({ bar, figure, days, isOpen, open, close }: BarPeopleProps) {
  const { format } = useWords();
  const texts = useSentWords().growth;
  const day = format.day(new Date(bar.from));
  const said = {
    nbJoined: texts.joined(format.count(bar.joined)),
    nbLeft: texts.left(format.count(bar.left)),
  };
  const shown = growthFigureOf({
    growth: { figure, ...daysOfBar(bar, days, Date.now()) },
    ...{ count: countOf(bar, figure), said: said[figure] },
    when: isByWeek(days) ? texts.weekFrom(day) : day,
  });
  return (
    <Opened close={close} isOpen={isOpen}>
      <People figure={isOpen ? shown : undefined} close={close}>
        {bar.joined > 0 && bar.left > 0 && (
          <div className="row" style={{ marginBottom: 12 }}>
            <Choice
              label={texts.shown}
              options={[
                ['nbJoined', said.nbJoined],
                ['nbLeft', said.nbLeft],
              ]}
              value={figure}
              choose={(one) => open(bar, one)}
            />
          </div>
        )}
      </People>
    </Opened>
  );
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
