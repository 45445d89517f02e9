import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Milliseconds that a slot is held without being renewed. */
export const slotHeldMs = 15_000;

const heldUntil = sql`clock_timestamp() + ${slotHeldMs} * interval '1 ms'`;

/**
 * Brings the slots of `owner` to `wanted` of a limit's `max`, in one statement: renews its own, releases the surplus
 * and takes free ones. The limit holds over all processes; one that froze for longer than a slot is held may exceed
 * it for a moment.
 * @param key what is limited: `route:7`, `provider:3`
 * @returns the number of slots that `owner` has now.
 */
export async function keepSlots(
  control: Connection,
  key: string,
  owner: string,
  { max, wanted }: { readonly max: number; readonly wanted: number },
): Promise<number> {
  return control.run(sql`
    with chosen as materialized (
      select n as number
      from generate_series(1, ${max}::int) n
        left join facteur.connection_slot slot on slot.route = ${key} and slot.number = n
      where slot.owner is null or slot.owner = ${owner} or slot.held_until < clock_timestamp()
      order by slot.owner is not distinct from ${owner} desc, n
      limit ${wanted}),
    given_back as (
      delete from facteur.connection_slot
      where route = ${key} and owner = ${owner} and number not in (select number from chosen))
    insert into facteur.connection_slot as slot (route, number, owner, held_until)
    select ${key}, number, ${owner}, ${heldUntil} from chosen
    on conflict (route, number) do update
    set owner = excluded.owner, held_until = excluded.held_until
    where slot.held_until < clock_timestamp() or slot.owner = excluded.owner`);
}

/** Frees all slots that the owners hold: of one limit, or of all if `key` is omitted. */
export async function freeSlots(control: Connection, owners: readonly string[], key?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.connection_slot
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or route = ${key ?? null})`);
}
