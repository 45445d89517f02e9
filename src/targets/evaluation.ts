import { readingWhole } from '../fields/merge-state.ts';
import type { App } from '../platform/app.ts';
import type { Connection, Isolation } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal, refused } from '../platform/http/refusal.ts';
import { Places } from '../platform/places.ts';
import { failureInWords } from './filters/sql-mistake.ts';
import { fingerprintOfTargets } from './target-store.ts';

/** Of the 20 connections that the sites share: less than half, so that short requests always find one. */
const limits = { perOwner: 2, inAll: 8, waiting: 30, patienceMs: 30_000 };
const placesOf = new WeakMap<App, Places>();

/**
 * Runs work over a whole site that somebody waits for, in one of the places of the site: its counts, which may take
 * seconds each, cannot take the connections that other sites need.
 * @param signal takes it out of the line.
 * @throws 429 when too much of the site's waits already.
 */
export async function inTurn<T>(
  app: App,
  db: SiteDb,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const places = placesOf.get(app) ?? new Places('evaluations of targets', limits);
  placesOf.set(app, places);
  return places.run(db.site.schema, work, signal);
}

/**
 * The time in which something is worked out, however many steps it takes; it runs from when it is made. A signal ends
 * it before: no further step is begun, and an expression of a user that is being evaluated is aborted.
 */
export class TimeLimit {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly #end: number;

  constructor(ms: number, signal?: AbortSignal) {
    this.ms = ms;
    this.signal = signal;
    this.#end = performance.now() + ms;
  }

  /**
   * Milliseconds for the next statement, as PostgreSQL's `statement_timeout`, in which 0 would be no limit.
   * @throws the signal's reason
   */
  left(): string {
    this.signal?.throwIfAborted();
    return String(Math.max(1, Math.ceil(this.#end - performance.now())));
  }
}

/**
 * How long a caller, and a background task, wait for the end of an import that writes its rows. A task gives its worker
 * to others and comes back.
 */
export const mergePatienceMs = { caller: 10_000, task: 1_000 } as const;

/**
 * A transaction that reads sets of targets, and never a part of an import's rows: where an expression of a user is
 * among their filters, the subscribers that it selects are worked out on another connection, and `work` starts over in
 * a transaction that keeps one sight of the data, so that both see the same subscribers. `work` may run several times;
 * only the last one counts.
 * @param reader While an import writes its rows, a task waits: it also writes, and its result lasts. A caller, who only
 *   reads, sees the subscribers as they were before; they wait only if a target has changed since then.
 * @throws as `readingWhole`
 */
export async function selecting<T>(
  db: SiteDb,
  work: (tx: SiteDb) => Promise<T>,
  reader: 'caller' | 'task',
  signal?: AbortSignal,
): Promise<T> {
  const patienceMs = mergePatienceMs[reader];
  const isAnsweredBefore = async (before: SiteDb) =>
    (await fingerprintOfTargets(before)) === (await fingerprintOfTargets(db));
  const waiting = { patienceMs, signal };
  const answers = reader === 'caller' ? { ...waiting, isAnsweredBefore } : waiting;
  let isolation: Isolation = 'read committed';
  for (let triesLeft = 3; ; ) {
    try {
      return await readingWhole(db, work, { ...answers, isolation });
    } catch (error) {
      if (error instanceof SnapshotNeeded) isolation = 'repeatable read';
      // 40001: another caller has changed a row that is changed here as well, since the snapshot was taken.
      else if ((error as { code?: string }).code !== '40001' || triesLeft-- === 0) throw error;
    }
  }
}

/** Says to `selecting` that the transaction has to keep one sight of the data. */
class SnapshotNeeded extends Error {
  constructor() {
    super('An expression of a user is evaluated in a transaction that has no snapshot to share');
  }
}

/** The name of what this transaction sees, for another one to see the same; before any savepoint. */
export async function snapshotOf(tx: SiteDb): Promise<string> {
  const { isKept } = await tx.one<{ isKept: boolean }>(
    sql`select current_setting('transaction_isolation') <> 'read committed' as "isKept"`,
  );
  if (!isKept) throw new SnapshotNeeded();
  return (await tx.one<{ snapshot: string }>(sql`select pg_export_snapshot() as snapshot`)).snapshot;
}

/**
 * Runs statements over sets of targets, within what is left of a time. An expression that a user wrote can fail on
 * the values of one subscriber, or take too long over all of them; that is told as what it is.
 * @param what is evaluated, as the refusals call it.
 * @throws 422 with the reason, 503 when a statement took too long.
 */
export async function evaluating<T>(
  tx: Connection,
  limit: TimeLimit,
  work: () => Promise<T>,
  what = 'The target',
): Promise<T> {
  const { before } = await tx.one<{ before: string }>(
    sql`select current_setting('statement_timeout') as before`,
  );
  await setTimeLimit(tx, limit.left());
  try {
    const result = await work();
    // What the transaction does besides may take as long as before.
    await setTimeLimit(tx, before);
    return result;
  } catch (error) {
    throw evaluationRefusal(error, limit, what) ?? error;
  }
}

/** Has PostgreSQL end the next statements of a transaction after so many milliseconds (`TimeLimit.left`). */
export async function setTimeLimit(tx: Connection, limit: string): Promise<void> {
  await tx.run(sql`select set_config('statement_timeout', ${limit}, true)`);
}

/** The refusal that a failure of PostgreSQL's over values of subscribers is, if it is one. */
function evaluationRefusal(error: unknown, limit: TimeLimit, what: string): Refusal | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  if (isOfValues(code, message))
    return refused(`${what} cannot be evaluated on these subscribers: ${failureInWords(code)}`);
  if (code !== '57014') return undefined;
  const seconds = Math.round(limit.ms / 1000);
  return new Refusal(
    503,
    'too_slow',
    `${what} took longer than ${seconds} s to evaluate; simplify its filters`,
  );
}

/**
 * Class 22, data exceptions: division by zero, a text that is no date; and what date_part and to_char say of a unit or
 * a pattern that they cannot use.
 */
function isOfValues(code: string, message: string): boolean {
  return (
    code.startsWith('22') || code === '0A000' || (code === '42601' && !message.startsWith('syntax error'))
  );
}
