import { setTimeout as pause } from 'node:timers/promises';
import type { Isolation } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { unavailable } from '../platform/http/refusal.ts';

/** Whether rows of a file are being written to the subscribers in steps. */
export interface MergeState {
  /** How many merges have begun; the same before and after a reading, none has begun meanwhile. */
  readonly version: number;
  /** Null when no merge is under way. */
  readonly idImport: number | null;
  /** PostgreSQL's name of what the subscribers were before the merge. */
  readonly snapshot: string | null;
}

export async function readMergeState(db: SiteDb): Promise<MergeState> {
  return db.one<MergeState & Record<string, unknown>>(sql`
    select version, id_import as "idImport", snapshot from ${db.t.merge_state}`);
}

/** A merge is under way whose rows this transaction would see in part. */
export class MergeUnderWay extends Error {
  readonly state: MergeState;
  constructor(state: MergeState) {
    super(`Import ${state.idImport} is being merged`);
    this.state = state;
  }
}

/** A merge has begun while the transaction read: it saw the subscribers before it, and then in part after it. */
class MergeBegun extends Error {}

/** How long a reader waits for a merge whose process was killed: another process goes on with it. */
const patienceMs = 10_000;
const pauseMs = 100;

/**
 * Runs `work` in a transaction that never sees a part of an import's rows: as long as a merge is under way, it sees the
 * subscribers as they were before. `work` may run several times; only the last one counts.
 * @throws 503 when a merge was interrupted, so that nobody can see the subscribers as they were, and nobody ends it.
 */
export async function readingWhole<T>(
  db: SiteDb,
  work: (tx: SiteDb) => Promise<T>,
  isolation: Isolation,
): Promise<T> {
  for (const end = performance.now() + patienceMs; ; await pause(pauseMs)) {
    try {
      return await db.transaction((tx) => betweenMerges(tx, work, isolation), isolation);
    } catch (error) {
      if (error instanceof MergeBegun) continue;
      if (!(error instanceof MergeUnderWay)) throw error;
      const before = await asBefore(db, error.state, work);
      if (before) return before.result;
      if (performance.now() > end) throw interrupted(error.state);
    }
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

/** Runs `work` with the subscribers as they were before a merge; undefined when nobody holds that state any more. */
async function asBefore<T>(
  db: SiteDb,
  { snapshot }: MergeState,
  work: (tx: SiteDb) => Promise<T>,
): Promise<{ result: T } | undefined> {
  if (snapshot === null) return undefined;
  return db.transaction(async (tx) => {
    if (!(await tookSnapshot(tx, snapshot))) return undefined;
    return { result: await work(tx) };
  }, 'repeatable read');
}

/** Codes of PostgreSQL for a snapshot that nobody holds: 42704 since version 16, 22023 before. */
const goneCodes = ['42704', '22023'];

async function tookSnapshot(tx: SiteDb, snapshot: string): Promise<boolean> {
  try {
    await tx.withClient((client) => client.query(`set transaction snapshot '${snapshot}'`));
    return true;
  } catch (error) {
    if (goneCodes.includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}

const interrupted = ({ idImport }: MergeState) =>
  unavailable(
    `The service stopped while import ${idImport} was written to the subscribers; try again when a worker has ended it`,
  );
