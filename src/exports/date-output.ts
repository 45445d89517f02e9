import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { parisZone } from '../platform/paris-time.ts';

/** Lets the transaction write a timestamp as `2026-01-31 09:30:00`, at the wall time of Paris. */
export async function setDateOutput(tx: SiteDb): Promise<void> {
  await tx.run(sql`select set_config('timezone', ${parisZone}, true), set_config('datestyle', 'ISO', true)`);
}
