import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { slotHeldMs } from './shared-slots.ts';

/**
 * Takes and renews slots of a route's connection limit, as many as are free: the limit holds over all processes.
 * A process that froze for longer than a slot is held may for a moment be one too many.
 * @returns the number of slots that `owner` has now.
 */
export async function holdSlots(
  control: Connection,
  route: string,
  owner: string,
  wanted: number,
): Promise<number> {
  return control.run(sql`
    insert into facteur.connection_slot as slot (route, number, owner, held_until)
    select ${route}, number, ${owner}, clock_timestamp() + ${slotHeldMs} * interval '1 ms'
    from generate_series(1, ${wanted}::int) number
    on conflict (route, number) do update
    set owner = excluded.owner, held_until = excluded.held_until
    where slot.held_until < clock_timestamp() or slot.owner = excluded.owner`);
}

/** Gives all slots of a route back, or of all routes when none is named. */
export async function freeSlots(control: Connection, owner: string, route?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.connection_slot
    where owner = ${owner} and (${route ?? null}::text is null or route = ${route ?? null})`);
}
