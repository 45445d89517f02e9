import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { until } from './until.ts';

/** Waits until a statement that begins as `pattern` (of LIKE) says waits for a lock that another transaction has. */
export async function untilWaiting(control: Connection, pattern: string): Promise<void> {
  await until(
    async () =>
      (await control.first(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and ltrim(query, E' \\n') like ${pattern}`)) !== undefined,
    `a statement like ${pattern} to wait`,
  );
}
