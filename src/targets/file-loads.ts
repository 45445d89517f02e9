import { ChangingFile, TableError } from '../files/table.ts';
import type { App } from '../platform/app.ts';
import type { Database } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, Refusal, unavailable } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { fileKey, type NeededFile } from './filters/filter-file.ts';
import { type LoadProgress, loadFile } from './load-file.ts';

/** Milliseconds that a request waits for filter files to load: a million values take about ten seconds. */
const requestPatienceMs = 10_000;
/** Milliseconds that the reason of a failed load is kept, for callers that repeat their request. */
const failureKeptMs = 60_000;
/** Maximum number of runs of work that finds files to load: each file may have been replaced by then. */
const maxRounds = 5;
/** Each load holds one of the 20 connections of its database; counts hold at most eight. */
const limits = { perOwner: 2, permits: 4, waiting: 20, patienceMs: 600_000 };

interface Load extends LoadProgress {
  readonly filename: string;
  readonly done: Promise<void>;
  failure?: Error;
}

/**
 * Running loads, and for a while failed ones, by site, field and file. Keyed by connection pool: requests and tasks of
 * one process have one each.
 */
const loadsIn = remembered((_: Database) => {
  return { semaphore: new Semaphore('loads of files', limits), byKey: new Map<string, Load>() };
});

const keyOf = (db: SiteDb, one: NeededFile) => `${db.site.schema} ${fileKey(one)}`;

/** 503: values of a file are still being loaded. */
class FilesLoading extends Refusal {
  readonly loads: readonly Load[];

  constructor(loads: readonly Load[]) {
    const [{ filename, nbRead }] = loads as [Load];
    super(
      503,
      'loading',
      `The file ${filename} is being loaded (${nbRead} values so far); repeat the request in a few seconds`,
      { retryAfterS: 5 },
    );
    this.loads = loads;
  }
}

export const isStillLoading = (error: unknown): boolean => error instanceof FilesLoading;

/**
 * Starts loads of files that are not loading yet. Each runs in its own transaction, not in the caller's; `tx` only
 * names the site.
 * @returns the refusal that the caller throws, so that it holds no lock in the meantime; `withLoadedFiles` waits for
 * it.
 */
export async function beginLoads(app: App, tx: SiteDb, files: readonly NeededFile[]): Promise<Refusal> {
  // Not on a connection for requests: that one counts as lost when a statement exceeds their time limit.
  const db = await (app.background ?? app).siteById(tx.site.id);
  if (!db) throw new Error(`Site ${tx.site.id} no longer exists`);
  const { byKey } = loadsIn(app.control);
  const loads = files.map((one) => {
    const known = byKey.get(keyOf(db, one));
    return known && !known.failure ? known : begin(app, db, one);
  });
  return new FilesLoading(loads);
}

function begin(app: App, db: SiteDb, one: NeededFile): Load {
  const { semaphore, byKey } = loadsIn(app.control);
  const key = keyOf(db, one);
  const forget = () => {
    if (byKey.get(key) === load) byKey.delete(key);
  };
  const work = async (): Promise<void> => {
    try {
      await semaphore.run(() => loadFile(app, db, one, load), db.site.schema);
      forget();
    } catch (error) {
      load.failure = isTooBusy(error) ? tooManyLoads() : (error as Error);
      if (!(error instanceof TableError))
        app.log.warn(
          { err: error, idSite: db.site.id, filename: one.filename },
          'filter file could not be loaded',
        );
      setTimeout(forget, failureKeptMs).unref();
    }
  };
  // Starts only when `load` is assigned.
  const load: Load = { filename: one.filename, nbRead: 0, done: Promise.resolve().then(work) };
  byKey.set(key, load);
  return load;
}

const isTooBusy = (error: unknown) => error instanceof Refusal && error.status === 429;
const tooManyLoads = () =>
  unavailable('Too many filter files are waiting to be loaded; try again in a few minutes');

/** A recent failed load of a file; its `stat` is of the file that it found. */
export function failedLoad(app: App, tx: SiteDb, one: NeededFile): Load | undefined {
  const load = loadsIn(app.control).byKey.get(keyOf(tx, one));
  return load?.failure && load;
}

/** Forgets a failure, so that the next request retries. */
export function forgetFailure(app: App, tx: SiteDb, one: NeededFile): void {
  loadsIn(app.control).byKey.delete(keyOf(tx, one));
}

/**
 * Runs work that makes sets of targets, and runs it again when the files that it found missing are loaded. Between the
 * runs it holds no connection, lock or permit. A load continues even if no caller waits for it.
 * @param patienceMs how long to wait for all of them; null, for a task, without a limit.
 * @throws 503 `loading` when a file is still being loaded then; 409 when a file keeps changing.
 */
export async function withLoadedFiles<T>(
  work: () => Promise<T>,
  patienceMs: number | null = requestPatienceMs,
): Promise<T> {
  const end = patienceMs === null ? Number.POSITIVE_INFINITY : performance.now() + patienceMs;
  for (let round = 1; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FilesLoading)) throw error;
      const isDone = await doneBefore(Promise.all(error.loads.map(({ done }) => done)), end);
      // A new refusal, with the current progress.
      if (!isDone || round === maxRounds) throw new FilesLoading(error.loads);
      const changing = error.loads.find(({ failure }) => failure instanceof ChangingFile);
      if (changing) throw conflict(`A file filter cannot be used: ${changing.failure!.message}`);
    }
  }
}

/** Whether work ends before `end`, an instant of `performance.now()`. */
async function doneBefore(work: Promise<unknown>, end: number): Promise<boolean> {
  if (end === Number.POSITIVE_INFINITY) return work.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, end - performance.now()), false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
