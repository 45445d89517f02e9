import type { SiteDb } from '../platform/db/site-db.ts';
import { type Job, liveStates } from './job.ts';
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
