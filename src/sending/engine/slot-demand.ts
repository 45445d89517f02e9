import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { hasEnded } from '../../platform/process-name.ts';
import { freeSlots, slotHeldMs } from './connection-slots.ts';

/** Seconds after which the slots that do not divide go to the next process: none waits for ever where they are few. */
const turnS = 10;

/** The processes that want slots of a limit at this moment, we among them. */
export interface Demand {
  readonly count: number;
  /** Our place among them, from 0. */
  readonly rank: number;
  /** Grows with time, the same for all of them. */
  readonly turn: number;
}

/** How many of `max` slots are ours: an equal share, what is left over in turn. */
export function shareOf(max: number, { count, rank, turn }: Demand): number {
  return Math.floor(max / count) + ((rank + turn) % count < max % count ? 1 : 0);
}

/**
 * Notes that `owner` wants slots of a limit, and returns the demand of all processes. Frees everything that processes
 * of this machine left behind when they ended.
 */
export async function demandSlots(control: Connection, key: string, owner: string): Promise<Demand> {
  // Skips locked rows: processes that clear up at the same time do not wait for each other.
  const { wanting, holding, turn } = await control.one<{
    wanting: string[];
    holding: string[];
    turn: number;
  }>(sql`
    with gone as (
      select owner from facteur.slot_demand
      where route = ${key} and until < clock_timestamp() - interval '1 minute' and owner <> ${owner}
      for update skip locked),
    cleared as (
      delete from facteur.slot_demand d using gone where d.route = ${key} and d.owner = gone.owner),
    own as (
      insert into facteur.slot_demand as d (route, owner, until)
      values (${key}, ${owner}, clock_timestamp() + ${slotHeldMs} * interval '1 ms')
      on conflict (route, owner) do update set until = excluded.until)
    select
      array(select owner from facteur.slot_demand
        where route = ${key} and owner <> ${owner} and until > clock_timestamp()) as wanting,
      array(select distinct owner from facteur.connection_slot where route = ${key}) as holding,
      floor(extract(epoch from clock_timestamp()) / ${turnS})::int as turn`);
  const ended = [...new Set([...wanting, ...holding])].filter(hasEnded);
  if (ended.length > 0) {
    await freeSlots(control, ended);
    await endDemand(control, ended);
  }
  const others = wanting.filter((other) => !ended.includes(other));
  return { count: others.length + 1, rank: others.filter((other) => other < owner).length, turn };
}

/** Withdraws the owners' demand for slots of one limit, or of all if `key` is omitted; `freeSlots` frees the slots. */
export async function endDemand(control: Connection, owners: readonly string[], key?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.slot_demand
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or route = ${key ?? null})`);
}
