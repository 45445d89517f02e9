import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { stopJob } from '../control-jobs.ts';
import { findJob, tryMoveJob } from '../job-store.ts';

/**
 * Pauses a sending job, because its user has to decide whether it continues. A test mailing is stopped, since it can be
 * requested again. Returns false if the job is no longer sending.
 * @param what and `detail` tell the user why
 */
async function haltJob(
  db: SiteDb,
  idJob: number,
  at: Date,
  what: string,
  detail?: string | null,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const job = await findJob(tx, idJob);
    if (job?.state !== 'Sending') return false;
    const next = job.isTest
      ? 'The test mailing has been stopped'
      : 'It is paused: resume it to send the rest, or stop it';
    const errorInfo = [what, next, detail].filter(Boolean).join('. ');
    if (job.isTest) return stopJob(tx, job, { endedAt: at, errorInfo });
    return tryMoveJob(tx, idJob, ['Sending'], 'Paused', { errorInfo, pausedAt: at });
  });
}

/** Milliseconds by which the stored time of the last attempt may lag behind. */
const noteEveryMs = 10_000;
/** Milliseconds until a hindrance is shown to users; another process may have a connection where this one has none. */
const tellAfterMs = 30_000;
/** Milliseconds without an attempt after which a job is no longer sent automatically: its offer may have expired. */
const lateAfterMs = 24 * 3_600_000;

/** Maximum number of outages that a job keeps, the newest: relays that come and go all day must not fill its row. */
const mostOutages = 20;
/** Whether the last outage of a job lasts. */
const isOut = sql`coalesce(relay_outages -> -1 -> 'until' = 'null', false)`;

/** The status of a running job's relays, as one process sees them (see JobRelays). */
export interface RelayStatus {
  readonly areReached: boolean;
  readonly trouble: string | undefined;
  /** Why recipients wait although a relay is reached. */
  readonly suspension?: string | undefined;
}

/**
 * Stores with a running job whether its relays are reached: users see why nothing is sent and since when, and the time
 * of the last attempt outlives every process. A job without an attempt for a day is paused, or stopped if it is a test
 * mailing.
 */
export async function noteRelays(
  db: SiteDb,
  idJob: number,
  { areReached, trouble, suspension: why }: RelayStatus,
  at: Date,
): Promise<void> {
  const suspension = why ?? null;
  const before = (ms: number) => new Date(at.getTime() - ms);
  // Relays are not used while all remaining recipients are suspended.
  if (areReached || (trouble === undefined && suspension !== null)) {
    await db.run(sql`
      update ${db.t.job} set tried_at = ${at}, error_info = ${suspension},
        relay_outages = case when ${isOut} and ${areReached}
          then jsonb_set(relay_outages, '{-1,until}', to_jsonb(${at}::timestamptz)) else relay_outages end
      where id = ${idJob} and state = 'Sending'
        and (tried_at is null or tried_at <= ${before(noteEveryMs)} or error_info is distinct from ${suspension})`);
  } else if (trouble !== undefined && !(await endIfLate(db, idJob, at))) {
    const trying = `No relay can be used; sending is retried: ${trouble}`;
    await db.run(sql`
      update ${db.t.job} set tried_at = coalesce(tried_at, ${at}), error_info = ${trying},
        relay_outages = case when ${isOut} then relay_outages else
          case when jsonb_array_length(relay_outages) < ${mostOutages} then relay_outages else relay_outages - 0 end
          || jsonb_build_object('since', coalesce(tried_at, ${at}), 'until', null, 'why', ${trouble}::text) end
      where id = ${idJob} and state = 'Sending' and error_info is distinct from ${trying}
        and (tried_at is null or tried_at <= ${before(tellAfterMs)})`);
  }
}

/**
 * Halts a job without any attempt for a day, whatever was unavailable: its message may be outdated, so its user
 * decides. Returns false if the job is not late, or not sending.
 */
export async function endIfLate(db: SiteDb, idJob: number, at: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const late = await tx.first<{ triedAt: Date; why: string | null }>(sql`
      select tried_at as "triedAt", error_info as why from ${tx.t.job}
      where id = ${idJob} and state = 'Sending' and tried_at <= ${new Date(at.getTime() - lateAfterMs)}`);
    if (!late) return false;
    const what = `No message could be sent since ${late.triedAt.toISOString()}`;
    return haltJob(tx, idJob, at, what, late.why);
  });
}

/** Number of replies that are judged together; fewer could all be nonexistent mailboxes of an old list. */
const sample = 200;
/** Number of refusals among them from which the relay is the cause, and not the recipients. */
const implausible = 180;

/**
 * Watches the relays' replies to one job's messages, in this process. A relay that permanently rejects nearly every
 * message does not know us, or is set up wrongly: the job is paused before all of its recipients count as bounced.
 * Deferrals count as replies too: a relay that defers new senders at first would otherwise seem to reject everything.
 */
export class RefusalWatch {
  readonly #app: App;
  readonly #of: { readonly db: SiteDb; readonly idJob: number };
  readonly #halted: (isHalted: boolean) => void;
  #replies = 0;
  #refusals = 0;
  /** SMTP code of the last refusal. */
  #code = 0;
  #isHalting = false;

  /** @param halted is called when `isHalting` ends, with whether the job is no longer sending. */
  constructor(app: App, of: { db: SiteDb; idJob: number }, halted: (isHalted: boolean) => void) {
    this.#app = app;
    this.#of = of;
    this.#halted = halted;
  }

  /** Whether the job is being paused, so that nothing more is attempted. */
  get isHalting(): boolean {
    return this.#isHalting;
  }

  /** Counts a relay's reply. */
  heard(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'notAttempted' || outcome.kind === 'unknown') return;
    this.#replies += 1;
    if (outcome.kind === 'refused') {
      this.#refusals += 1;
      this.#code = outcome.code;
    }
    if (this.#replies < sample) return;
    const refusals = this.#refusals;
    this.restart();
    if (refusals >= implausible && !this.#isHalting) void this.#halt(refusals, this.#code);
  }

  /** Counts from zero: a user has resumed the job, and knows why it was paused. */
  restart(): void {
    this.#replies = 0;
    this.#refusals = 0;
  }

  async #halt(refusals: number, code: number): Promise<void> {
    const { db, idJob } = this.#of;
    // Only the code: the text of the reply could repeat secrets (see troubleOf).
    const what = `The relay permanently rejected ${refusals} of ${sample} messages, the last one with code ${code}`;
    this.#isHalting = true;
    const isHalted = await haltJob(db, idJob, this.#app.clock.now(), what).catch((err: Error) => {
      this.#app.log.warn({ err, idJob }, 'job whose relay rejects nearly every message could not be paused');
      return false;
    });
    this.#isHalting = false;
    if (isHalted)
      this.#app.log.warn(
        { site: db.site.name, idJob, refusals, code },
        'job paused because its relay rejects nearly every message',
      );
    this.#halted(isHalted);
  }
}
