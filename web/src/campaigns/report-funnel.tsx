import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import type { PeopleFigure, PeopleSource } from './people-figure.ts';
import { bouncedOf, deliveredOf, type Figures, readersOf } from './report-data.ts';
import { useReportWords } from './report-words.ts';

/** What narrows a figure to a part of its people. */
interface PeopleOfPart extends Partial<Pick<PeopleFigure, 'idLink' | 'reply' | 'idFai' | 'ids'>> {
  /** The name of the part. */
  readonly part?: string;
}

/** Opens the people of a figure. */
export type OpenPeople = (source: PeopleSource, count: number, more?: PeopleOfPart) => void;

interface FigureProps {
  readonly source: PeopleSource;
  readonly count: number;
  readonly open: OpenPeople;
  readonly more?: PeopleOfPart;
  /** What is shown instead of the number. */
  readonly children?: ReactNode;
}

/** A figure that opens its people; nobody is behind 0. */
export function Figure({ source, count, open, more, children }: FigureProps) {
  const { format } = useWords();
  const shown = children ?? format.count(count);
  if (count === 0) return shown;
  return (
    <button type="button" className="fig" onClick={() => open(source, count, more)}>
      {shown}
    </button>
  );
}

interface FunnelProps {
  readonly figures: Figures;
  /** Clicks by machines; undefined while they are read. */
  readonly machineClicks: number | undefined;
  readonly withMachines: boolean;
  readonly open: OpenPeople;
}

interface Step {
  readonly name: string;
  readonly value: number;
  readonly colour: string;
  readonly source: PeopleSource;
  /** What the share is of. */
  readonly whole?: number;
  readonly note?: ReactNode;
}

/** From the audience to the unsubscribed: number, share, and what was lost on the way. */
export function Funnel(props: FunnelProps) {
  const { format } = useWords();
  const report = useReportWords();
  const whole = props.figures.nbAddressToSend || 1;
  return (
    <section className="card" aria-label={report.funnel}>
      <div className="card-head">
        <h2>{report.funnel}</h2>
      </div>
      <ul className="funnel">
        {useSteps(props).map(({ name, value, colour, source, whole: of, note }) => (
          <li key={name}>
            <span className="strong">{name}</span>
            <span className="meter" aria-hidden>
              <i style={{ width: `${(100 * value) / whole}%`, background: colour }} />
            </span>
            <span className="funnel-value">
              <Figure source={source} count={value} open={props.open} />
            </span>
            <span className="funnel-share text-2">{of === undefined ? '' : format.share(value, of)}</span>
            <span className="funnel-note text-3">{note}</span>
          </li>
        ))}
      </ul>
      <p className="card-body label text-3">{report.shares}</p>
    </section>
  );
}

function useSteps({ figures, machineClicks, withMachines, open }: FunnelProps): readonly Step[] {
  const { format } = useWords();
  const report = useReportWords();
  const delivered = deliveredOf(figures);
  const notSent = figures.nbAddressToSend - figures.nbAddressSent;
  const readers = readersOf(figures, withMachines);
  const clicks = withMachines ? figures.nbClicks : figures.nbClicks - (machineClicks ?? 0);
  const opens = withMachines ? figures.nbOpenings : figures.nbHumanOpenings;
  return [
    {
      ...{ name: report.audience, value: figures.nbAddressToSend, colour: 'var(--f-c1-2)' },
      source: 'nbAddressToSend',
    },
    {
      ...{ name: report.sent, value: figures.nbAddressSent, colour: 'var(--f-c1-2)' },
      source: 'nbAddressSent',
      whole: figures.nbAddressToSend,
      note: notSent > 0 && report.notSent(format.count(notSent)),
    },
    {
      ...{ name: report.delivered, value: delivered, colour: 'var(--f-c1-2)' },
      source: 'nbDelivered',
      whole: figures.nbAddressSent,
      note: <Bounces figures={figures} open={open} />,
    },
    {
      ...{ name: report.opened, colour: 'var(--f-c1)', whole: delivered },
      ...{ value: readers.opened, source: readers.openedBy },
      note: report.opens(format.count(opens), format.isOne(opens)),
    },
    {
      ...{ name: report.clicked, colour: 'var(--f-c3)', whole: delivered },
      ...{ value: readers.clicked, source: readers.clickedBy },
      note: report.clickCount(format.count(clicks), format.isOne(clicks)),
    },
    {
      ...{ name: report.unsubscribed, value: figures.nbUnsubs, colour: 'var(--f-c5)', whole: delivered },
      source: 'nbUnsubs',
      note: figures.nbSpamComplaints > 0 && (
        <>
          <Figure source="nbSpamComplaints" count={figures.nbSpamComplaints} open={open} />{' '}
          {report.complained}
        </>
      ),
    },
  ];
}

function Bounces({ figures, open }: Pick<FunnelProps, 'figures' | 'open'>) {
  const { format } = useWords();
  const report = useReportWords();
  const kinds = [
    ['nbHardBounces', report.hard],
    ['nbSoftBounces', report.soft],
    ['nbSpamBounces', report.spam],
    ['nbDnsErrorsBounces', report.noServer],
  ] as const;
  const shown = kinds.filter(([source]) => figures[source] > 0);
  if (shown.length === 0) return null;
  return (
    <>
      {report.bounced(format.count(bouncedOf(figures)))}{' '}
      {shown.map(([source, name], index) => (
        <span key={source}>
          <Figure source={source} count={figures[source]} open={open} /> {name}
          {index < shown.length - 1 ? ', ' : ''}
        </span>
      ))}
    </>
  );
}
