import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { haltJob } from './halt-job.ts';

/** How far the time of the last try, as the database has it, may lag behind, in milliseconds. */
const noteEveryMs = 10_000;
/** Users are told after so long; another process may have a connection where this one has none. */
const tellAfterMs = 30_000;
/** What could not be attempted for so long does not go out by itself any more: its offer may be over. */
const lateAfterMs = 24 * 3_600_000;

/** How the relays of a job at work stand, as one process sees them (see JobRelays). */
export interface RelayStatus {
  readonly areReached: boolean;
  readonly trouble: string | undefined;
  /** Why some recipients wait although a relay is reached. */
  readonly suspension?: string | undefined;
}

/**
 * Notes with a job at work whether its relays are reached: users read there why nothing moves, and the time of the
 * last try outlives every process. A job that could not be attempted for a day ends here, or is paused.
 */
export async function noteRelays(
  db: SiteDb,
  idJob: number,
  { areReached, trouble, suspension: why }: RelayStatus,
  at: Date,
): Promise<void> {
  const suspension = why ?? null;
  const before = (ms: number) => new Date(at.getTime() - ms);
  // Nobody asks a relay for anything while all who are left are suspended.
  if (areReached || (trouble === undefined && suspension !== null)) {
    await db.run(sql`
      update ${db.t.job} set tried_at = ${at}, error_info = ${suspension}
      where id = ${idJob} and state = 'Sending'
        and (tried_at is null or tried_at <= ${before(noteEveryMs)} or error_info is distinct from ${suspension})`);
  } else if (trouble !== undefined && !(await endIfLate(db, idJob, at))) {
    const trying = `No relay can be used, and it is tried again and again: ${trouble}`;
    await db.run(sql`
      update ${db.t.job} set tried_at = coalesce(tried_at, ${at}), error_info = ${trying}
      where id = ${idJob} and state = 'Sending' and error_info is distinct from ${trying}
        and (tried_at is null or tried_at <= ${before(tellAfterMs)})`);
  }
}

/**
 * Halts a job of which nobody could be attempted for a day, whatever was unavailable: what it says may no longer
 * hold, so its user decides. False when it is not late, or not sending.
 */
export async function endIfLate(db: SiteDb, idJob: number, at: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const late = await tx.first<{ triedAt: Date; why: string | null }>(sql`
      select tried_at as "triedAt", error_info as why from ${tx.t.job}
      where id = ${idJob} and state = 'Sending' and tried_at <= ${new Date(at.getTime() - lateAfterMs)}`);
    if (!late) return false;
    const what = `Nobody could be written to since ${late.triedAt.toISOString()}`;
    return haltJob(tx, idJob, { what, detail: late.why, at });
  });
}
