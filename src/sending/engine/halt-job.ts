import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { stopJob } from '../control-jobs.ts';
import { findJob, tryMoveJob } from '../job-store.ts';

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

/** So many answers are judged together. Of fewer, an old list may well have only dead addresses. */
const sample = 200;
/** So many refusals among them are the relay's doing, and not the recipients'. */
const implausible = 180;

/**
 * Watches what relays answer to one job's messages, in this process. One that refuses nearly everybody permanently is
 * taken for one that does not know us, or that somebody set up wrongly: the job is paused before the whole list is
 * marked as dead. Temporary answers count as well: where newcomers are deferred at first, refusals come before all
 * else.
 */
export class RefusalWatch {
  readonly #app: App;
  readonly #of: { readonly db: SiteDb; readonly idJob: number };
  readonly #halted: (isHalted: boolean) => void;
  #answers = 0;
  #refusals = 0;
  /** Of the last refusal. */
  #code = 0;
  #isHalting = false;

  /** @param halted told when `isHalting` is over: whether the job is no longer sending. */
  constructor(app: App, of: { db: SiteDb; idJob: number }, halted: (isHalted: boolean) => void) {
    this.#app = app;
    this.#of = of;
    this.#halted = halted;
  }

  /** The job is being paused: nothing more is to be attempted. */
  get isHalting(): boolean {
    return this.#isHalting;
  }

  /** Enters what a relay answered. */
  heard(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'notAttempted' || outcome.kind === 'unknown') return;
    this.#answers += 1;
    if (outcome.kind === 'refused') {
      this.#refusals += 1;
      this.#code = outcome.code;
    }
    if (this.#answers < sample) return;
    const refusals = this.#refusals;
    this.restart();
    if (refusals >= implausible && !this.#isHalting) void this.#halt(refusals, this.#code);
  }

  /** Counts again: somebody resumed the job, and knows why it was paused. */
  restart(): void {
    this.#answers = 0;
    this.#refusals = 0;
  }

  async #halt(refusals: number, code: number): Promise<void> {
    const { db, idJob } = this.#of;
    // Of the relay's words only the code is told, as of one that cannot be used (relay-trouble.ts).
    const what = `The relay refused ${refusals} of ${sample} messages for good, the last one with code ${code}`;
    this.#isHalting = true;
    const isHalted = await haltJob(db, idJob, { what, at: this.#app.clock.now() }).catch((err: Error) => {
      this.#app.log.warn({ err, idJob }, 'a job whose relay refuses nearly everybody cannot be paused');
      return false;
    });
    this.#isHalting = false;
    if (isHalted)
      this.#app.log.warn({ site: db.site.name, idJob, refusals, code }, 'the job is paused: refused');
    this.#halted(isHalted);
  }
}
