import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import type { PeopleFigure } from '../campaigns/people-figure.ts';
import { useWords } from '../words/words.tsx';

const colours = {
  added: 'var(--f-c1)',
  changed: 'var(--f-c2)',
  unchanged: 'var(--f-control)',
  repeated: 'var(--f-c5)',
  rejected: 'var(--f-c4)',
} as const;
export type Kind = keyof typeof colours;
/** The outcomes of a row, in the order in which they are shown. */
export const outcomeKinds = Object.keys(colours) as Kind[];

/** The rows of a file by what becomes of them. */
export type Outcome = Readonly<Record<Kind, number>>;

/** The counters that a dry run and the log of a run share. */
interface Counters {
  readonly nbInserts: number;
  readonly nbUpdates: number;
  readonly totalDuplicateKeys: number;
  readonly nbErrorRows: number;
  readonly nbBadFormattedRows: number;
}

/** The rows of a file by what becomes of them. @param unchanged known people who already have all values */
export const outcomeOf = (of: Counters, unchanged: number): Outcome => ({
  added: of.nbInserts,
  changed: of.nbUpdates,
  unchanged,
  repeated: of.totalDuplicateKeys,
  rejected: of.nbErrorRows + of.nbBadFormattedRows,
});

/** The rows of the file of a run by what became of them. Old logs of a run that was given up count nobody as found. */
export const outcomeOfLog = (log: Counters & { readonly totalUpdates: number }): Outcome =>
  outcomeOf(log, Math.max(0, log.totalUpdates - log.nbUpdates));

interface CountersSoFar extends Counters {
  readonly totalRows: number;
  readonly nbUnchanged: number;
}

/** What is known of a run that writes: the people of the rows so far, and the whole file once it is read. */
export function outcomeSoFar(item: CountersSoFar): Partial<Outcome> {
  const { added, changed, unchanged, ...ofFile } = outcomeOf(item, item.nbUnchanged);
  return { added, changed, unchanged, ...(item.totalRows > 0 && ofFile) };
}

/** A run of an import that has ended. */
export interface EndedRun {
  readonly idImport: number;
  readonly idLog: number;
}

/** The figures that count people, by the names that the service gives them. */
const kindsOfPeople = { added: 'new', changed: 'changed', unchanged: 'unchanged' } as const;
const isOfPeople = (kind: Kind): kind is keyof typeof kindsOfPeople => kind in kindsOfPeople;

interface RunFigureProps {
  readonly run: EndedRun;
  readonly kind: Kind;
  readonly count: number;
}

/** A figure of a run that has ended; one that counts people opens them. */
export function RunFigure({ run: { idImport, idLog }, kind, count }: RunFigureProps) {
  const { words, format } = useWords();
  if (!isOfPeople(kind)) return format.count(count);
  const people = words.campaigns.people(format.count(count), format.isOne(count));
  const figure: PeopleFigure = {
    ...{ source: kindsOfPeople[kind], idImport, ids: [idLog], count },
    title: words.imports.outcome.people[kind](people, format.isOne(count)),
  };
  return <OpenedFigure figure={figure} />;
}

/** A bar with the shares of the five outcomes, and their figures; dashes while they are not known. */
export function OutcomeFigures({ outcome, isDone = false, rows, run }: OutcomeProps) {
  const { words, format } = useWords();
  const texts = words.imports.outcome;
  const total = outcome ? outcomeKinds.reduce((sum, kind) => sum + outcome[kind], 0) : 0;
  const said = outcome && outcomeKinds.map((kind) => `${texts.names[kind]}: ${format.count(outcome[kind])}`);
  return (
    <>
      <div className="meter thick" role="img" aria-label={said ? said.join(', ') : texts.unknown}>
        {outcome &&
          total > 0 &&
          outcomeKinds
            .filter((kind) => outcome[kind] > 0)
            .map((kind) => (
              <i
                key={kind}
                style={{ width: `${(outcome[kind] / total) * 100}%`, background: colours[kind] }}
              />
            ))}
      </div>
      <OutcomeList outcome={outcome} isDone={isDone} rows={rows} run={run} />
    </>
  );
}
/** The figures of the five outcomes; dashes for those that are not known. */
export function OutcomeList({ outcome, isDone = false, rows, run }: OutcomeListProps) {
  const { words, format } = useWords();
  const texts = words.imports.outcome;
  return (
    <dl className="outcome">
      {outcomeKinds.map((kind) => {
        const count = outcome?.[kind];
        return (
          <div key={kind}>
            <dt className="small text-2">
              <i className="swatch" style={{ background: colours[kind] }} aria-hidden />
              {texts.names[kind]}
            </dt>
            <dd className="figure-2">
              {count !== undefined && rows && count > 0 ? (
                <button
                  type="button"
                  className="fig"
                  aria-label={`${texts.names[kind]}: ${format.count(count)}`}
                  aria-expanded={rows.shown === kind}
                  aria-controls={rows.id}
                  onClick={() => rows.show(kind)}
                >
                  {format.count(count)}
                </button>
              ) : count !== undefined && run ? (
                <RunFigure run={run} kind={kind} count={count} />
              ) : count !== undefined ? (
                format.count(count)
              ) : (
                '–'
              )}
            </dd>
            <dd className="label text-3">{(isDone ? texts.done : texts.would)[kind]}</dd>
          </div>
        );
      })}
    </dl>
  );
}
interface OutcomeListProps extends Omit<OutcomeProps, 'outcome'> {
  readonly outcome: Partial<Outcome> | undefined;
}

interface OutcomeProps {
  readonly outcome: Outcome | undefined;
  /** Whether the import has run; otherwise it is what would happen. */
  readonly isDone?: boolean;
  /** The run that has ended, whose figures open their people. */
  readonly run?: EndedRun | undefined;
  /** The element that shows rows of the file, the figure whose rows it shows, and what opens another one. */
  readonly rows?:
    | {
        readonly id: string;
        readonly shown: Kind | undefined;
        readonly show: (kind: Kind) => void;
      }
    | undefined;
}
