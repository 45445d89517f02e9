import { useEffect } from 'react';
import { ChartNames, LineChart } from '../parts/line-chart.tsx';
import { useWords } from '../words/words.tsx';
import type { PeopleSource } from './people-figure.ts';
import type { Sendings } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useRunWords } from './report-words.ts';
import { useFreezing } from './use-freezing.ts';
import { useSpeeds } from './use-speed.ts';
import { type Unreached, useUnreached } from './use-unreached.ts';

/** The service reads every list for the states, so that they are renewed less often than the sums. */
const statesMs = 10_000;

interface ProgressProps {
  readonly name: string;
  readonly sendings: Sendings;
  readonly accepted: number;
  readonly audience: number;
  /** People found so far while the audience is being frozen. */
  readonly frozen: number;
  readonly at: number;
  readonly isMoving: boolean;
  readonly open: OpenPeople;
}

/** Accepted of the audience, the speed and the time left; the recipient states as one bar; the speed as a line. */
export function Progress(props: ProgressProps) {
  const { accepted, audience, at, isMoving, name } = props;
  const { format } = useWords();
  const run = useRunWords();
  const freezing = useFreezing();
  const { speed, line } = useSpeeds(accepted, at);
  const left = audience - accepted;
  const seconds = isMoving && speed !== undefined && speed > 0 ? left / speed : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page sets its own title first; the next figures correct it
  useEffect(() => {
    if (audience > 0) document.title = `${Math.floor((100 * accepted) / audience)}% · ${name}`;
  }, [accepted, audience, name, at]);
  if (audience === 0)
    return (
      <section className="card">
        <p className="card-body text-2" style={{ paddingTop: 16 }}>
          {freezing(props.frozen)}
        </p>
      </section>
    );
  const end = seconds === undefined ? undefined : at + seconds * 1000;
  return (
    <>
      <section className="card">
        <div className="card-body stack tight" style={{ paddingTop: 16 }}>
          <div className="row" style={{ justifyContent: 'space-between', alignItems: 'flex-end' }}>
            <div>
              <p className="small text-2">{run.accepted}</p>
              <p>
                <span className="big">{format.count(accepted)}</span>{' '}
                <span className="text-2">{run.of(format.count(audience))}</span>
              </p>
            </div>
            <dl className="run-facts">
              <Fact
                name={run.now}
                value={isMoving && speed !== undefined ? run.speed(format.count(speed)) : '–'}
              />
              <Fact name={run.left} value={seconds === undefined ? '–' : format.length(seconds)} />
              <Fact name={run.end} value={end === undefined ? '–' : format.time(new Date(end))} />
            </dl>
          </div>
          <States {...props} />
        </div>
      </section>
      <SpeedLine line={line} />
    </>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt className="small text-2">{name}</dt>
    <dd>{value}</dd>
  </div>
);

interface State {
  readonly key: 'accepted' | 'bounced' | 'refused' | 'expired' | 'uncertain' | 'deferred' | 'left';
  readonly count: number;
  readonly colour: string;
  /** Where the people are listed, if the service lists them. */
  readonly source?: PeopleSource;
}

const bouncedOf = (one: Sendings[number]) =>
  one.nbHardBounces + one.nbSoftBounces + one.nbSpam + one.nbDnsErrors;

/** Recipients of running sendings whose message was not accepted, or of whom it is not known. */
function useRunUnreached(sendings: Sendings): Unreached {
  const unreached = useUnreached(
    sendings.map((one) => ({ idSent: one.idSent, bounced: bouncedOf(one) })),
    statesMs,
    true,
  );
  return unreached ?? { refused: 0, expired: 0, uncertain: 0, deferred: 0, bounced: 0, isPartial: false };
}

/** People of running sendings who have no result yet. */
export function useLeft(sendings: Sendings, accepted: number, audience: number): number {
  const { refused, expired, uncertain, bounced } = useRunUnreached(sendings);
  // A bounce at once counts as sent as well.
  return Math.max(0, audience - accepted - (refused + expired + uncertain - bounced));
}

/** The recipients by state: each of them is in one. */
function useStates({ sendings, accepted, audience }: ProgressProps) {
  const { refused, expired, uncertain, deferred, bounced, isPartial } = useRunUnreached(sendings);
  const allBounced = sendings.reduce((sum, one) => sum + bouncedOf(one), 0);
  const cameBack = Math.max(0, allBounced - bounced);
  const reached = Math.max(0, accepted - allBounced);
  const known = reached + cameBack + refused + expired + uncertain + deferred;
  const states: readonly State[] = [
    { key: 'accepted', count: reached, colour: 'var(--f-c1)', source: 'nbDelivered' },
    { key: 'deferred', count: deferred, colour: 'var(--f-c1-2)', source: 'deferred' },
    { key: 'bounced', count: cameBack, colour: 'var(--f-c5)', source: 'nbReturned' },
    { key: 'refused', count: refused, colour: 'var(--f-c4)', source: 'refused' },
    { key: 'expired', count: expired, colour: 'var(--f-c3)', source: 'expired' },
    { key: 'uncertain', count: uncertain, colour: 'var(--f-c2)', source: 'uncertain' },
    { key: 'left', count: Math.max(0, audience - known), colour: 'var(--f-track)' },
  ];
  return { states, isPartial };
}

function States(props: ProgressProps) {
  const { format } = useWords();
  const run = useRunWords();
  const { states, isPartial } = useStates(props);
  const { audience, open } = props;
  const said = ({ key, count }: State) => `${run.states[key]} ${format.count(count)}`;
  return (
    <>
      <div className="meter thick" role="img" aria-label={states.map(said).join(', ')}>
        {states
          .filter(({ key, count }) => key !== 'left' && count > 0)
          .map(({ key, count, colour }) => (
            <i key={key} style={{ width: `${(100 * count) / audience}%`, minWidth: 2, background: colour }} />
          ))}
      </div>
      <ul className="run-states">
        {states.map(({ key, count, colour, source }) => (
          <li key={key}>
            <span className="row small text-2" style={{ gap: 8 }}>
              <span className="swatch" style={{ background: colour }} aria-hidden />
              {run.states[key]}
            </span>
            <b>
              {source ? (
                <Figure source={source} count={count} open={open}>
                  {isPartial && source !== 'nbDelivered'
                    ? run.atLeast(format.count(count))
                    : format.count(count)}
                </Figure>
              ) : (
                format.count(count)
              )}
            </b>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Messages a second since the page was opened: the service keeps no speeds. */
function SpeedLine({ line }: { readonly line: ReturnType<typeof useSpeeds>['line'] }) {
  const { format } = useWords();
  const run = useRunWords();
  const lines = [{ name: run.lineName, colour: 'var(--f-c1)' }];
  return (
    <section className="card">
      <div className="card-head">
        <h2>{run.line}</h2>
        <span className="aside">
          <ChartNames lines={lines} />
        </span>
      </div>
      <div className="card-body">
        {line.length < 2 ? (
          <p className="small text-2">{run.lineWaits}</p>
        ) : (
          <LineChart
            label={run.line}
            points={line}
            lines={lines}
            moment={(at) => format.timeWithSeconds(new Date(at))}
            read={({ at, values }) =>
              run.lineAt(format.timeWithSeconds(new Date(at)), format.count(values[0]!))
            }
          />
        )}
      </div>
    </section>
  );
}
