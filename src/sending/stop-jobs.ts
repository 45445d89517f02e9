import { forEachSite } from '../accounts/for-each-site.ts';
import { currentHold, type Hold, holdText } from '../installation/installation-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type Job, type JobState, liveStates } from './job.ts';
import { findJob, type JobMarks, offerJob, runningTests, tryMoveJob } from './job-store.ts';

/**
 * Stops a job in the caller's transaction, and has the engine give everybody who is left a final state. False when it
 * has ended in the meantime.
 */
export async function stopJob(tx: SiteDb, job: Job, marks: JobMarks): Promise<boolean> {
  if (!(await tryMoveJob(tx, job.id, liveStates, 'Stopped', marks))) return false;
  // Read now: a test mailing may have been frozen since `job` was read.
  if ((await findJob(tx, job.id))?.isFrozen) await offerJob(tx, job.id);
  return true;
}

/** Stops the campaign's test mailings that run, its row locked; whether there were any. The campaign does not move. */
export async function stopTests(tx: SiteDb, idCampaign: number, at: Date): Promise<boolean> {
  let hadSome = false;
  for (const job of await runningTests(tx, idCampaign))
    if (await stopJob(tx, job, { endedAt: at })) hadSome = true;
  return hadSome;
}

const moving: readonly JobState[] = ['Programmed', 'Generating', 'Sending'];

/**
 * Pauses every job of every site that would send by itself, while sending is held, and tells its users why; whether
 * to resume is theirs to decide once the hold is over. May be run again, and beside other processes.
 */
export async function pauseHeldJobs(app: Pick<App, 'control' | 'siteById' | 'log'>): Promise<void> {
  const hold = await currentHold(app.control);
  if (!hold) return;
  await forEachSite(app, 'jobs not paused while sending is held', async (db) => {
    const site = db.site.name;
    const jobs = await db.rows<{ id: number }>(sql`
      select id from ${db.t.job} where state = any(${moving}::text[]) order by id`);
    for (const job of jobs) {
      // One that cannot be paused keeps no other from it; it is not begun while the hold lasts.
      const isPaused = await pauseHeldJob(db, job.id, hold).catch((err: Error) => {
        app.log.error({ err, site, idJob: job.id }, 'the job cannot be paused');
        return false;
      });
      if (isPaused) app.log.warn({ site, idJob: job.id }, 'the job is paused: sending is held');
    }
  });
}

/** Pauses one job; false when it is in no state to be paused. */
export async function pauseHeldJob(db: SiteDb, idJob: number, hold: Hold): Promise<boolean> {
  return tryMoveJob(db, idJob, moving, 'Paused', { errorInfo: holdText(hold) });
}
