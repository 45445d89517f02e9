import type { SiteDb } from '../../platform/db/site-db.ts';
import { findJob, tryMoveJob } from '../job-store.ts';
import { stopJob } from '../stop-jobs.ts';

/** Why a job does not continue by itself, for its users to read. */
export interface HaltReason {
  readonly what: string;
  /** What else is known of it. */
  readonly detail?: string | null;
  readonly at: Date;
}

/**
 * Pauses a job at work because its user has to decide whether it continues. A test mailing is stopped: it is
 * requested again. False when it is no longer sending.
 */
export async function haltJob(db: SiteDb, idJob: number, { what, detail, at }: HaltReason): Promise<boolean> {
  return db.transaction(async (tx) => {
    const job = await findJob(tx, idJob);
    if (job?.state !== 'Sending') return false;
    const next = job.isTest
      ? 'The test mailing is over'
      : 'It is paused: resume it to send the rest, or stop it';
    const errorInfo = [what, next, detail].filter(Boolean).join('. ');
    if (job.isTest) return stopJob(tx, job, { endedAt: at, errorInfo });
    return tryMoveJob(tx, idJob, ['Sending'], 'Paused', { errorInfo });
  });
}
