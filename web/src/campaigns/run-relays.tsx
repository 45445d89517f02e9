import { useQuery } from '@tanstack/react-query';
import { type SendingHealth, sendingHealthOf } from '../api/sending-health.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { renewMs } from './renewal.ts';
import { useRunWords } from './report-words.ts';

const dots = { up: 'dot', down: 'dot down', unknown: 'dot off' } as const;

/** The relays that the site sends through, and whether each accepts connections. Their names are for administrators. */
export function RunRelays() {
  const run = useRunWords();
  const site = useSite();
  const { data, error, refetch } = useQuery({ ...sendingHealthOf(site.name), refetchInterval: renewMs });
  return (
    <section className="card" aria-label={run.relays}>
      <div className="card-head">
        <h2>{run.relays}</h2>
      </div>
      {!data && (error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={2} />)}
      {data?.isMailKept && <p className="card-body small text-2">{run.mailKept}</p>}
      {data && data.relays.length > 0 && (
        <ul className="card-body stack" style={{ gap: 6 }}>
          {data.relays.map((relay, index) => (
            <Relay key={relay.relay ?? index} relay={relay} number={index + 1} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RelayProps {
  readonly relay: SendingHealth['relays'][number];
  /** Its place in the order of preference. */
  readonly number: number;
}

function Relay({ relay: { relay, state }, number }: RelayProps) {
  const { format } = useWords();
  const run = useRunWords();
  return (
    <li className="row small" style={{ flexWrap: 'nowrap' }}>
      <span className={dots[state]} aria-hidden />
      <bdi className="anywhere" style={{ flex: 1, minWidth: 0 }}>
        {relay ?? run.relay(format.count(number))}
      </bdi>
      <span className={state === 'down' ? 'red' : 'text-2'}>{run.relayStates[state]}</span>
    </li>
  );
}
