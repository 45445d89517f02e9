import { setTimeout as pause } from 'node:timers/promises';
import type { Isolation } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';

/** Whether rows of a file are being written to the subscribers in steps. */
export interface MergeState {
  /** How many merges have begun; the same before and after a reading, none has begun in the meantime. */
  readonly version: number;
  readonly idImport: number | null;
  /** PostgreSQL's name of what the subscribers were before the merge. */
  readonly snapshot: string | null;
}

export async function readMergeState(db: SiteDb): Promise<MergeState> {
  return db.one<MergeState>(sql`
    select version, id_import as "idImport", snapshot from ${db.t.merge_progress}`);
}

/** A merge is running whose rows this transaction would see in part. */
export class MergeUnderWay extends Error {
  readonly state: MergeState;
  constructor(state: MergeState) {
    super(`Import ${state.idImport} is being merged`);
    this.state = state;
  }
}

/** A merge has begun while the transaction read: it saw the subscribers before it, and then in part after it. */
class MergeBegun extends Error {}

const pauseMs = 100;

/** The merge of an import has not ended in time. */
export class MergeNotEnded extends Refusal {
  constructor({ idImport }: MergeState) {
    super(
      503,
      'unavailable',
      `Import ${idImport} has not written all of its rows to the subscribers; repeat the request when it has ended`,
    );
  }
}

export interface WholeReading {
  readonly isolation: Isolation;
  /** How long the end of a merge is waited for. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Given, the reading does not wait for a merge but sees the subscribers as they were before it, provided that this
   * is still what is requested: that nothing else `work` reads, such as a target, is newer than `before`.
   */
  readonly isAnsweredBefore?: (before: SiteDb) => Promise<boolean>;
}

/** Runs `work` so that it never sees a part of an import's rows, perhaps several times. @throws MergeNotEnded */
export async function readingWhole<T>(
  db: SiteDb,
  work: (tx: SiteDb) => Promise<T>,
  { isolation, patienceMs, signal, isAnsweredBefore }: WholeReading,
): Promise<T> {
  let kept = isolation;
  let unanswered: number | undefined;
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return await db.transaction((tx) => betweenMerges(tx, work, kept), kept);
    } catch (error) {
      if (error instanceof MergeBegun) {
        // One snapshot of the data is enough then, however soon the next merge begins.
        kept = 'repeatable read';
        continue;
      }
      if (!(error instanceof MergeUnderWay)) throw error;
      const { state } = error;
      // Asked once for each merge: what has changed since stays changed.
      const isAsked = unanswered !== state.version;
      const before = isAsked ? await asBefore(db, state, work, isAnsweredBefore) : undefined;
      if (before) return before.result;
      unanswered = state.version;
      if (performance.now() > end) throw new MergeNotEnded(state);
    }
    await pause(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

async function betweenMerges<T>(
  tx: SiteDb,
  work: (tx: SiteDb) => Promise<T>,
  isolation: Isolation,
): Promise<T> {
  // Before the snapshot is taken: a change of a column's type rewrites rows, which an older snapshot would not see.
  await tx.run(sql`lock table ${tx.t.subscriber} in access share mode`);
  const before = await readMergeState(tx);
  if (before.idImport !== null) throw new MergeUnderWay(before);
  const result = await work(tx);
  if (isolation === 'read committed') {
    const after = await readMergeState(tx);
    if (after.version !== before.version) throw new MergeBegun();
  }
  return result;
}

/** Runs `work` with the state before a merge; undefined if no process holds that state, or it does not answer. */
async function asBefore<T>(
  db: SiteDb,
  { snapshot, version }: MergeState,
  work: (tx: SiteDb) => Promise<T>,
  isAnswered: WholeReading['isAnsweredBefore'],
): Promise<{ result: T } | undefined> {
  if (snapshot === null || !isAnswered) return undefined;
  try {
    return await db.transaction(async (tx) => {
      if (!(await tookSnapshot(tx, snapshot))) return undefined;
      // As long as the merge lasts no field changes its type, which rewrites rows that this snapshot would not see;
      // from here on the lock keeps them.
      await tx.run(sql`lock table ${tx.t.subscriber} in access share mode`);
      const now = await readMergeState(db);
      if (now.version !== version || now.idImport === null) return undefined;
      if (!(await isAnswered(tx))) return undefined;
      return { result: await work(tx) };
    }, 'repeatable read');
  } catch (error) {
    if (isOfSomethingUnknown(error)) return undefined;
    throw error;
  }
}

/** Whether an error is about a value that was unknown before the merge, or not yet loaded, and may be known now. */
const isOfSomethingUnknown = (error: unknown): boolean =>
  error instanceof Refusal && (error.status === 404 || error.status === 409 || error.code === 'loading');

/** PostgreSQL's codes for a snapshot that is no longer held: 42704 since version 16, 22023 before, 55000 at its end. */
const goneCodes = ['42704', '22023', '55000'];

async function tookSnapshot(tx: SiteDb, snapshot: string): Promise<boolean> {
  try {
    await tx.withClient((client) => client.query(`set transaction snapshot '${snapshot}'`));
    return true;
  } catch (error) {
    if (goneCodes.includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
