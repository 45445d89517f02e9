import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** Minutes after which a job that nobody looks at counts as stalled: no worker is there that would say so itself. */
const unwatchedMinutes = 10;

/** Sendings of the whole installation that make no progress though nothing keeps them waiting. */
export async function countStalledSendings(control: Connection): Promise<number> {
  const { n } = await control.one<{ n: number }>(sql`
    select count(*)::int as n from facteur.sending_job
    where is_stalled or watched_at < clock_timestamp() - ${unwatchedMinutes} * interval '1 minute'`);
  return n;
}
