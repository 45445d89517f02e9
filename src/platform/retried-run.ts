import type { App } from './app.ts';
import { whileHeld } from './db/held-lock.ts';
import type { SiteDb } from './db/site-db.ts';
import { withTaskPermit } from './task-permits.ts';
import { type Task, type TaskPayload, task } from './tasks.ts';

const shortestMs = 10_000;
const longestMs = 10 * 60_000;
/** Attempts of the queue. One is used up only if its process is killed, or if the database is unavailable. */
export const maxAttempts = 12;

/** How long a failing run is retried, in milliseconds and in words. */
export interface Patience {
  readonly ms: number;
  readonly words: string;
}

/** The attempt no longer counts: its run was paused, or a later attempt has begun. It ends without a result. */
export class Superseded extends Error {}

/** A kind of run that is retried until it succeeds or fails permanently. `R` describes one attempt. */
export interface RunKind<P extends TaskPayload & { readonly idSite: number }, R> {
  readonly name: string;
  /** Noun for messages: `import`. */
  readonly noun: string;
  /** Whether an attempt needs its record's lock and a permit of the site; if not, `work` sees that it is the latest. */
  readonly needsPermit: boolean;
  /** The id of the record that runs. */
  id(payload: P): number;
  /** Begins an attempt; undefined if the run has ended or waits for a user. */
  begin(tx: SiteDb, payload: P, now: Date): Promise<R | undefined>;
  /** Does the work and records its success. @throws Superseded */
  work(app: App, db: SiteDb, run: R, signal: AbortSignal): Promise<void>;
  /** Returns the user's text for an error that no later attempt can avoid; undefined for any other error. */
  permanentReason(error: unknown): string | undefined;
  /** Returns the user's text for an error that a later attempt may avoid. */
  reasonOf(error: unknown): string;
  /** Returns the log's fields that identify the attempt. */
  about(run: R): object;
  /** Returns the log's fields for a permanent error; `{ err }` if omitted. */
  inLog?(error: unknown): object;
  /** Returns the reason that the last attempt recorded; undefined if it recorded none. */
  recordedReason(run: R): string | undefined;
  /** Records why an attempt failed. @returns since when the run has failed; undefined if the attempt is superseded */
  recordFailure(tx: SiteDb, run: R, reason: string, now: Date): Promise<Date | undefined>;
  patience(tx: SiteDb, run: R): Promise<Patience>;
  /** Adds the task of the next attempt. */
  retry(tx: SiteDb, run: R, at: Date): Promise<void>;
  /** Records that the run has failed permanently, with what follows. @throws Superseded */
  fail(app: App, tx: SiteDb, run: R, reason: string, now: Date): Promise<void>;
}

/**
 * Declares the task of a kind of run. An attempt begins, works and records its success. If it fails, the next one is
 * scheduled after a pause, until the run's patience ends or an error is permanent. A killed process leaves the task to
 * the queue; a task that was lost is added again by `lostTaskFinder`.
 */
export function retriedTask<P extends TaskPayload & { readonly idSite: number }, R>(
  kind: RunKind<P, R>,
): Task<P> {
  const nameOf = (payload: P): string => `${kind.noun} ${kind.id(payload)}`;
  const begun = (app: App, db: SiteDb, payload: P): Promise<R | undefined> =>
    db.transaction((tx) => kind.begin(tx, payload, app.clock.now()));
  const attempt = async (app: App, db: SiteDb, payload: P, signal: AbortSignal): Promise<void> => {
    const run = await begun(app, db, payload);
    if (run === undefined) return;
    try {
      await kind.work(app, db, run, signal);
    } catch (error) {
      if (error instanceof Superseded) return;
      // The service is stopping: the next process runs the task again.
      if (signal.aborted) throw error;
      await recordError(app, db, { kind, run, error });
    }
  };
  const retried: Task<P> = task({
    name: kind.name,
    maxAttempts,
    async run(app, payload, signal) {
      const db = await app.siteById(payload.idSite);
      if (!db) return;
      const work = () => attempt(app, db, payload, signal);
      if (!kind.needsPermit) return work();
      const permit = { task: retried, payload, name: nameOf(payload), kind: kind.noun };
      await withTaskPermit(db, permit, work);
    },
    async gaveUp(app, payload) {
      const db = await app.siteById(payload.idSite);
      if (!db) return;
      await whileHeld(db, nameOf(payload), async () => {
        const run = await begun(app, db, payload);
        if (run === undefined) return;
        const last = kind.recordedReason(run) ?? 'the process that ran it ended';
        const reason = `The ${kind.noun} failed ${maxAttempts} times and is given up: ${last}`;
        await db.transaction((tx) => kind.fail(app, tx, run, reason, app.clock.now()));
      });
    },
  });
  return retried;
}

/** Ends a run permanently or schedules a retry. @throws the error if nothing was written */
async function recordError<P extends TaskPayload & { readonly idSite: number }, R>(
  app: App,
  db: SiteDb,
  failed: { readonly kind: RunKind<P, R>; readonly run: R; readonly error: unknown },
): Promise<void> {
  const { kind, run, error } = failed;
  const now = app.clock.now();
  const about = { site: db.site.name, ...kind.about(run) };
  try {
    await db.transaction(async (tx) => {
      const permanent = kind.permanentReason(error);
      if (permanent !== undefined) {
        await kind.fail(app, tx, run, permanent, now);
        const why = kind.inLog?.(error) ?? { err: error };
        app.log.warn({ ...about, ...why }, `${kind.noun} failed permanently`);
        return;
      }
      const reason = kind.reasonOf(error);
      const since = await kind.recordFailure(tx, run, reason, now);
      if (!since) return;
      const { ms, words } = await kind.patience(tx, run);
      const at = retryAt(since, now, ms);
      app.log.warn({ ...about, err: error, retryAt: at }, `${kind.noun} failed`);
      if (at) return kind.retry(tx, run, at);
      await kind.fail(app, tx, run, `The ${kind.noun} failed for ${words} and is given up: ${reason}`, now);
    });
  } catch (notWritten) {
    if (notWritten instanceof Superseded) return;
    app.log.warn({ ...about, err: notWritten }, `failure of ${kind.noun} could not be recorded`);
    throw error;
  }
}

/**
 * Returns when to retry after failures since an instant: after 10 seconds, then after as long as the failures have
 * lasted, so pauses double, up to 10 minutes. The last attempt is at the end of the patience.
 * @param patienceMs milliseconds during which it is retried
 * @returns undefined after the patience has ended
 */
export function retryAt(failingSince: Date, now: Date, patienceMs: number): Date | undefined {
  const failingFor = now.getTime() - failingSince.getTime();
  if (failingFor >= patienceMs) return undefined;
  const pause = Math.min(longestMs, Math.max(shortestMs, failingFor));
  return new Date(Math.min(now.getTime() + pause, failingSince.getTime() + patienceMs));
}
