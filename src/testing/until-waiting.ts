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

/** Whether a session of this database has put lines into a table by COPY and continues; its table no one else sees. */
export async function isCopying(control: Connection): Promise<boolean> {
  const copying = sql`
    select from pg_stat_progress_copy
    where datname = current_database() and command = 'COPY FROM' and tuples_processed > 0`;
  return (await control.first(copying)) !== undefined;
}

/** Whether no other session of this database is active: PostgreSQL notices late that a client was killed. */
export async function isAlone(control: Connection): Promise<boolean> {
  const others = await control.rows(sql`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and state <> 'idle'`);
  return others.length === 0;
}
