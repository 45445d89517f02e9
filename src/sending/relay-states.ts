import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Whether a relay accepts connections. */
export interface RelayState {
  /** `host:port`. */
  readonly relay: string;
  readonly isUp: boolean;
}

/** Seconds after which the state of a relay is unknown: no process sends through it now. */
const staleAfterS = 60;

/**
 * Notes how the relays are that a process sends through, in place of what it noted before.
 * @param owner the process
 */
export async function noteRelayStates(
  control: Connection,
  owner: string,
  states: readonly RelayState[],
): Promise<void> {
  const relays = sql`${states.map(({ relay }) => relay)}::text[]`;
  await control.run(sql`
    with gone as (
      delete from facteur.relay_state
      where at < clock_timestamp() - ${staleAfterS} * interval '1 second'
        and not (process = ${owner} and relay = any(${relays})))
    insert into facteur.relay_state (relay, process, is_up, at)
    select relay, ${owner}, bool_or(is_up), clock_timestamp()
    from unnest(${relays}, ${states.map(({ isUp }) => isUp)}::boolean[]) s (relay, is_up)
    group by relay
    on conflict (relay, process) do update set is_up = excluded.is_up, at = excluded.at`);
}

/** The relays that mail leaves through now; one is up if any process has a connection to it. */
export async function relayStates(control: Connection): Promise<RelayState[]> {
  return control.rows<RelayState & Record<string, unknown>>(sql`
    select relay, bool_or(is_up) as "isUp" from facteur.relay_state
    where at >= clock_timestamp() - ${staleAfterS} * interval '1 second'
    group by relay order by relay`);
}
