import type pg from 'pg';
import type { SiteDb } from './site-db.ts';

/**
 * Runs `work` while this process holds the lock of a name in a site. The lock ends with its connection, which `work`
 * may use, so that of a killed process is free as soon as PostgreSQL notices.
 * @throws Error when another caller holds it: a job that is retried later.
 */
export async function whileHeld(
  db: SiteDb,
  name: string,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const key = `${db.site.schema} ${name}`;
  await db.withClient(async (client) => {
    const lock = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [key]);
    if (!lock.rows[0].held) throw new Error(`${name} is already running`);
    try {
      await work(client);
    } finally {
      // On a connection that no longer exists the lock no longer exists too.
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]).catch(() => undefined);
    }
  });
}
