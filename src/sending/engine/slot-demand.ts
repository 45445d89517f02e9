import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Seconds for which a process counts as one that wants slots after it said so. */
const wantedS = 5;
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

/** Says that `owner` wants slots of a limit, and learns who else does. */
export async function demandSlots(control: Connection, key: string, owner: string): Promise<Demand> {
  // Locks only rows that nobody else has locked: processes that clear up at once do not wait for each other.
  return control.one<Demand & Record<string, unknown>>(sql`
    with gone as (
      select owner from facteur.slot_demand
      where route = ${key} and until < clock_timestamp() - interval '1 minute' and owner <> ${owner}
      for update skip locked),
    cleared as (
      delete from facteur.slot_demand d using gone where d.route = ${key} and d.owner = gone.owner),
    own as (
      insert into facteur.slot_demand as d (route, owner, until)
      values (${key}, ${owner}, clock_timestamp() + ${wantedS} * interval '1 s')
      on conflict (route, owner) do update set until = excluded.until)
    select count(*)::int + 1 as count, (count(*) filter (where owner < ${owner}))::int as rank,
      floor(extract(epoch from clock_timestamp()) / ${turnS})::int as turn
    from facteur.slot_demand where route = ${key} and owner <> ${owner} and until > clock_timestamp()`);
}

/** Wants no slots any more, of a limit or of all of them; those that are held are given back by `freeSlots`. */
export async function endDemand(control: Connection, owner: string, key?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.slot_demand
    where owner = ${owner} and (${key ?? null}::text is null or route = ${key ?? null})`);
}
