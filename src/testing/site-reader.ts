import { siteRoleOf } from '../targets/site-role.ts';
import type { TestApp } from './app.ts';

/** Does something while the database has no connection for the SQL filters of the site `demo`. */
export async function withoutSiteReader(t: TestApp, work: () => Promise<void>): Promise<void> {
  const { name } = await siteRoleOf(t);
  const { pool } = t.app.control;
  await pool.query(`alter role ${name} connection limit 0`);
  await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
  try {
    await work();
  } finally {
    await pool.query(`alter role ${name} connection limit -1`);
  }
}
