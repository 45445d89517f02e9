import { type ReactNode, useEffect, useId } from 'react';
import { ChartNames, LineChart } from '../parts/line-chart.tsx';
import { Failed } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import type { PeopleSource } from './people-figure.ts';
import type { Sendings } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useRunWords } from './report-words.ts';
import { useFreezing } from './use-freezing.ts';
import { type Speeds, useSpeeds } from './use-speed.ts';
import { useUnreachedQuery } from './use-unreached.ts';

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
  /** What is shown beside the line of the speed. */
  readonly children: ReactNode;
}

/** Accepted of the audience, the speed and the time left; the recipient states as one bar; the speed as a line. */
export function Progress(props: ProgressProps) {
  const { accepted, audience, at, isMoving, name } = props;
  const { format } = useWords();
  const run = useRunWords();
  const freezing = useFreezing();
  const idText = useId();
  const { data: unreached, dataUpdatedAt } = useRunUnreached(props.sendings);
  // Those deferred and accepted between two readings are not among them.
  const deferring = useSpeeds(unreached?.deferred ?? 0, unreached ? dataUpdatedAt : 0).speed;
  const { speed, line } = useSpeeds(accepted, at, [deferring ?? 0]);
  const left = audience - accepted;
  const seconds = isMoving && speed !== undefined && speed > 0 ? left / speed : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page sets its own title first; the next figures correct it
  useEffect(() => {
    if (audience > 0) document.title = `${Math.floor((100 * accepted) / audience)}% · ${name}`;
  }, [accepted, audience, name, at]);
  if (audience === 0)
    return (
      <section className="card">
        <div className="card-body stack tight" style={{ paddingTop: 16 }}>
          <p className="text-2" id={idText}>
            {freezing(props.frozen)}
          </p>
          <div className="meter thick unmeasured" role="progressbar" aria-labelledby={idText}>
            <i />
          </div>
        </div>
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
                <span className="big">
                  <Figure source="nbAddressSent" count={accepted} open={props.open} />
                </span>{' '}
                <span className="text-2">
                  <Figure source="nbAddressToSend" count={audience} open={props.open}>
                    {run.of(format.count(audience))}
                  </Figure>
                </span>
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
      <div className="run-middle">
        <SpeedLine line={line} end={end} />
        <div className="stack">{props.children}</div>
      </div>
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
  /** Undefined until it is known. */
  readonly count: number | undefined;
  readonly colour: string;
  /** Where the people are listed. */
  readonly source: PeopleSource;
}

const bouncedOf = (one: Sendings[number]) =>
  one.nbHardBounces + one.nbSoftBounces + one.nbSpam + one.nbDnsErrors;

/** Recipients of running sendings whose message was not accepted, or of whom it is not known. */
const useRunUnreached = (sendings: Sendings) =>
  useUnreachedQuery(
    sendings.map((one) => ({ idSent: one.idSent, bounced: bouncedOf(one) })),
    statesMs,
    true,
  );

/** People of running sendings who have no result yet; undefined until they are counted. */
export function useLeft(sendings: Sendings, accepted: number, audience: number): number | undefined {
  const { data } = useRunUnreached(sendings);
  if (!data) return undefined;
  const { refused, expired, uncertain, bounced } = data;
  // A bounce at once counts as sent as well.
  return Math.max(0, audience - accepted - (refused + expired + uncertain - bounced));
}

/** The recipients by state: each of them is in one. Those who were not reached are counted later than the others. */
function useStates({ sendings, accepted, audience }: ProgressProps) {
  const { data, error, refetch } = useRunUnreached(sendings);
  const { refused, expired, uncertain, deferred } = data ?? {};
  const allBounced = sendings.reduce((sum, one) => sum + bouncedOf(one), 0);
  const cameBack = data && Math.max(0, allBounced - data.bounced);
  const reached = Math.max(0, accepted - allBounced);
  const counted = [reached, cameBack, refused, expired, uncertain, deferred];
  const known = counted.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const states: readonly State[] = [
    { key: 'accepted', count: reached, colour: 'var(--f-c1)', source: 'nbDelivered' },
    { key: 'deferred', count: deferred, colour: 'var(--f-c3)', source: 'deferred' },
    { key: 'bounced', count: cameBack, colour: 'var(--f-c5)', source: 'nbReturned' },
    { key: 'refused', count: refused, colour: 'var(--f-c4)', source: 'refused' },
    { key: 'expired', count: expired, colour: 'var(--f-c1-2)', source: 'expired' },
    { key: 'uncertain', count: uncertain, colour: 'var(--f-c2)', source: 'uncertain' },
    {
      key: 'left',
      count: data && Math.max(0, audience - known),
      colour: 'var(--f-track)',
      source: 'nbUntried',
    },
  ];
  return { states, isPartial: data?.isPartial ?? false, failure: data ? null : error, refetch };
}

function States(props: ProgressProps) {
  const { format } = useWords();
  const run = useRunWords();
  const { states, isPartial, failure, refetch } = useStates(props);
  const { audience, open } = props;
  const figureOf = ({ count }: State) => (count === undefined ? '–' : format.count(count));
  const said = (state: State) => `${run.states[state.key]} ${figureOf(state)}`;
  return (
    <>
      <div className="meter thick" role="img" aria-label={states.map(said).join(', ')}>
        {states
          .filter(({ key, count = 0 }) => key !== 'left' && count > 0)
          .map(({ key, count = 0, colour }) => (
            <i key={key} style={{ width: `${(100 * count) / audience}%`, minWidth: 2, background: colour }} />
          ))}
      </div>
      <ul className="run-states">
        {states.map((state) => (
          <li key={state.key}>
            <span className="row small text-2" style={{ gap: 8 }}>
              <span className="swatch" style={{ background: state.colour }} aria-hidden />
              {run.states[state.key]}
            </span>
            <b>
              {state.count === undefined ? (
                figureOf(state)
              ) : (
                <Figure source={state.source} count={state.count} open={open}>
                  {isPartial && state.key !== 'accepted' && state.key !== 'left'
                    ? run.atLeast(figureOf(state))
                    : figureOf(state)}
                </Figure>
              )}
            </b>
          </li>
        ))}
      </ul>
      {failure && <Failed error={failure} retry={() => void refetch()} />}
    </>
  );
}

interface SpeedLineProps extends Pick<Speeds, 'line'> {
  /** When the sending is about to end; undefined if that is not known. */
  readonly end: number | undefined;
}

/**
 * Accepted and deferred messages a second since the page was opened: the service keeps no speeds. The time to come is
 * empty; it takes at most as much room as the time that is shown.
 */
function SpeedLine({ line, end }: SpeedLineProps) {
  const { format } = useWords();
  const run = useRunWords();
  const lines = [
    { name: run.lineName, colour: 'var(--f-c1)' },
    { name: run.lineDeferred, colour: 'var(--f-c3)' },
  ];
  const [from, to] = [line[0]?.at ?? 0, line.at(-1)?.at ?? 0];
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
            end={end && Math.min(end, to + (to - from))}
            moment={(at) => format.timeWithSeconds(new Date(at))}
            read={({ at, values }) =>
              run.lineAt(
                format.timeWithSeconds(new Date(at)),
                format.count(values[0]!),
                format.count(values[1]!),
              )
            }
          />
        )}
      </div>
    </section>
  );
}
