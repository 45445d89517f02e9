import { listSites } from '../accounts/site-store.ts';
import { currentHold, type Hold, holdText } from '../installation/installation-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { JobState } from './job.ts';
import { tryMoveJob } from './job-store.ts';

const moving: readonly JobState[] = ['Programmed', 'Generating', 'Sending'];

/**
 * Pauses every job of every site that would send by itself, while sending is held, and tells its users why; whether
 * to resume is theirs to decide once the hold is over. May be run again, and beside other processes.
 */
export async function pauseHeldJobs(app: Pick<App, 'control' | 'siteById' | 'log'>): Promise<void> {
  const hold = await currentHold(app.control);
  if (!hold) return;
  for (const { id, name } of await listSites(app.control)) {
    const db = await app.siteById(id);
    if (!db) continue;
    const jobs = await db.rows<{ id: number }>(sql`
      select id from ${db.t.job} where state = any(${moving}::text[]) order by id`);
    for (const job of jobs) {
      // One that cannot be paused keeps no other from it; it is not begun while the hold lasts.
      const isPaused = await pauseHeldJob(db, job.id, hold).catch((err: Error) => {
        app.log.error({ err, site: name, idJob: job.id }, 'the job cannot be paused');
        return false;
      });
      if (isPaused) app.log.warn({ site: name, idJob: job.id }, 'the job is paused: sending is held');
    }
  }
}

/** Pauses one job; false when it is in no state to be paused. */
export async function pauseHeldJob(db: SiteDb, idJob: number, hold: Hold): Promise<boolean> {
  return tryMoveJob(db, idJob, moving, 'Paused', { errorInfo: holdText(hold) });
}
