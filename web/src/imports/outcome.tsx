import { useWords } from '../words/words.tsx';

const colours = {
  added: 'var(--f-c1)',
  changed: 'var(--f-c2)',
  unchanged: 'var(--f-control)',
  repeated: 'var(--f-c5)',
  rejected: 'var(--f-c4)',
} as const;
export type Kind = keyof typeof colours;
const kinds = Object.keys(colours) as Kind[];

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

/** A bar with the shares of the five outcomes, and their figures; dashes while they are not known. */
export function OutcomeFigures({ outcome, isDone = false, rows }: OutcomeProps) {
  const { words, format } = useWords();
  const texts = words.imports.outcome;
  const total = outcome ? kinds.reduce((sum, kind) => sum + outcome[kind], 0) : 0;
  const said = outcome && kinds.map((kind) => `${texts.names[kind]}: ${format.count(outcome[kind])}`);
  return (
    <>
      <div className="meter thick" role="img" aria-label={said ? said.join(', ') : texts.unknown}>
        {outcome &&
          total > 0 &&
          kinds
            .filter((kind) => outcome[kind] > 0)
            .map((kind) => (
              <i
                key={kind}
                style={{ width: `${(outcome[kind] / total) * 100}%`, background: colours[kind] }}
              />
            ))}
      </div>
      <dl className="outcome">
        {kinds.map((kind) => (
          <div key={kind}>
            <dt className="small text-2">
              <i className="swatch" style={{ background: colours[kind] }} aria-hidden />
              {texts.names[kind]}
            </dt>
            <dd className="figure-2">
              {outcome && rows && outcome[kind] > 0 ? (
                <button
                  type="button"
                  className="fig"
                  aria-label={`${texts.names[kind]}: ${format.count(outcome[kind])}`}
                  aria-expanded={rows.shown === kind}
                  aria-controls={rows.id}
                  onClick={() => rows.show(kind)}
                >
                  {format.count(outcome[kind])}
                </button>
              ) : outcome ? (
                format.count(outcome[kind])
              ) : (
                '–'
              )}
            </dd>
            <dd className="label text-3">{(isDone ? texts.done : texts.would)[kind]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
interface OutcomeProps {
  readonly outcome: Outcome | undefined;
  /** Whether the import has run; otherwise it is what would happen. */
  readonly isDone?: boolean;
  /** The element that shows rows of the file, the figure whose rows it shows, and what opens another one. */
  readonly rows?: {
    readonly id: string;
    readonly shown: Kind | undefined;
    readonly show: (kind: Kind) => void;
  };
}
