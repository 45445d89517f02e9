import { withFieldSet } from '../fields/field-set.ts';
import { isDuplicate } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { deleteChanges } from './field-change-store.ts';
import { countGrowthAs } from './growth-store.ts';
import { samplePeople } from './sample-people.ts';
import { duplicateEmail } from './subscriber.ts';
import { insertSubscribers, lockSubscribers } from './subscriber-store.ts';

/** Adds the made-up people; returns their ids. @throws 409 if another subscriber has one of their addresses */
export async function insertSamplePeople(tx: SiteDb, origin: string, at: Date): Promise<number[]> {
  await countGrowthAs(tx, 'sample');
  try {
    const people = samplePeople(origin);
    const rows = await withFieldSet(tx, (set) => insertSubscribers(tx, set, people, at));
    return rows.map((row) => Number(row.fld0));
  } catch (error) {
    throw isDuplicate(error, 'subscriber_email') ? duplicateEmail() : error;
  }
}

/** Removes made-up people from subscribers and archive, however changed; returns how many still existed. */
export async function removeSamplePeople(tx: SiteDb, ids: readonly number[]): Promise<number> {
  await countGrowthAs(tx, 'sample');
  // In the order of the ids, like every writer of several subscribers.
  await lockSubscribers(tx, ids);
  const present = await tx.run(sql`delete from ${tx.t.subscriber} where fld0 = any(${ids}::int[])`);
  await deleteChanges(tx, ids);
  const archived = await tx.run(sql`delete from ${tx.t.archived_subscriber} where id = any(${ids}::int[])`);
  return present + archived;
}
