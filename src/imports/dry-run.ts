import { join } from 'node:path';
import { listFields } from '../fields/field-store.ts';
import { ChangingFile, TableError } from '../files/table.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb, SiteSession } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal, refused, tooMany, unavailable } from '../platform/http/refusal.ts';
import { Bool, Closed, Count, Nullable, type Static, Text, Type } from '../platform/http/schema.ts';
import { unlessAborted } from '../platform/unless-aborted.ts';
import { countChanges, firstRows } from '../subscribers/merge-preview.ts';
import { dropMatches, temporaryStage } from '../subscribers/subscriber-merge.ts';
import { cancellableSession } from './cancellable-session.ts';
import { counters, fileVersion, type ImportCounters } from './import.ts';
import type { ImportSettings } from './import-settings.ts';
import {
  CellsUnknown,
  checkUnchanged,
  isHeldBySafeMode,
  isWorthRetrying,
  lookUpCells,
  matchRows,
  mergeOf,
} from './merge-stage.ts';
import { RefusedCells } from './refused-cells.ts';
import { permanentReason, reasonOf } from './run-failure.ts';
import { CopyRefused, rowsOf, type Staged, type Staging, stageFile, TooManyRows } from './stage-file.ts';
import { withRepository } from './with-repository.ts';

const limitMs = 30_000;
const mostRows = 1_000_000;
/** Maximum numbers of rows that are returned for each figure, of the cells of one, and of the characters of a cell. */
const most = { rows: 20, characters: 500, cells: 500 } as const;
/** Rows that are found later in the second reading of the file are returned without their cells. */
const cellsMs = 5_000;
/** Maximum readings of a file that changes, or whose rows PostgreSQL does not accept at once. */
const maxReadings = 3;
/** Maximum matchings of one reading: each but the last may look for cells of rejected rows in the file. */
const maxLooks = 5;

const number = {
  row: Count('Its number, as in badFormattedRowNumbers of an import: its first line in the file'),
};

const RejectedRow = Closed('RejectedRow', {
  ...number,
  reason: Text(2_000),
  cells: Nullable(
    Type.Array(Type.String(), {
      description: 'At most 500, each cut to 500 characters; null for an oversized row',
    }),
  ),
});

const FileRow = Closed('FileRow', {
  ...number,
  cells: Nullable(
    Type.Array(Type.String(), {
      description:
        'At most 500, each cut to 500 characters; null if a second reading of the file fails, ' +
        'or does not find them within 5 seconds and the time limit of the dry run',
    }),
  ),
});
type FileRow = Static<typeof FileRow>;
const rowsOfFigure = (figure: string) =>
  Type.Array(FileRow, { description: `The first 20 rows of the file that ${figure} counts` });

/** The effect that an import would have. The counters are those of its log. */
export const DryRun = Closed('DryRun', {
  ...counters,
  nbUnchanged: Count('Existing subscribers who already have all values of their rows'),
  isHeldBySafeMode: Bool('Whether safeMode prevents all changes, because rows are rejected'),
  nbKeptUnsubscribed: Count('Unsubscribed people of the file who stay unsubscribed'),
  nbResubscribed: Count('Unsubscribed people of the file who are subscribed again'),
  nbUnsubscribed: Count('Subscribed people of the file who are unsubscribed'),
  nbClearedValues: Count('Values of existing subscribers that empty cells remove'),
  newRows: rowsOfFigure('nbInserts'),
  changedRows: rowsOfFigure('nbUpdates'),
  unchangedRows: rowsOfFigure('nbUnchanged'),
  repeatedRows: rowsOfFigure('totalDuplicateKeys'),
  rejectedRows: Type.Array(RejectedRow, { description: 'The first 20 rejected rows of the file' }),
});
export type DryRun = Static<typeof DryRun>;
type RejectedRow = Static<typeof RejectedRow>;

const shownCells = (cells: readonly string[]): string[] =>
  cells.slice(0, most.cells).map((cell) => cell.slice(0, most.characters));

/** Keeps the first rejected rows, in the order of the file. */
class FirstRejected {
  rows: RejectedRow[] = [];

  setHead(): void {}

  async add(row: number, reason: string, cells: readonly string[] | undefined): Promise<void> {
    const last = this.rows.at(-1);
    if (this.rows.length === most.rows && last && last.row < row) return;
    this.rows.push({ row, reason, cells: cells ? shownCells(cells) : null });
    this.rows = this.rows.sort((a, b) => a.row - b.row).slice(0, most.rows);
  }
}

/**
 * Reads a file and matches its rows as an import does, and counts what the import would write. The rows are in a
 * temporary table of one session; the subscribers are only read, so no other caller waits.
 * @param client aborted when the client disconnects
 * @throws 422 for a file that cannot be imported or takes too long, 429 if another dry run of the site runs, 503
 */
export async function dryRun(
  app: App,
  db: SiteDb,
  {
    settings,
    at,
    client,
  }: { readonly settings: ImportSettings; readonly at: Date; readonly client: AbortSignal },
  timeout = AbortSignal.timeout(limitMs),
  maxRows = mostRows,
): Promise<DryRun> {
  const limit = new TimeLimit(timeout);
  const signal = AbortSignal.any([client, limit.exceeded]);
  try {
    return await cancellableSession(app, db, signal, async (session) => {
      await takeTurnOrRefuse(session);
      return tryFile(app, session.db, { settings, at, signal, maxRows, limit });
    });
  } catch (error) {
    if (client.aborted) throw client.reason;
    if (limit.exceeded.aborted)
      throw refused(
        `parameters.filename: the dry run takes longer than ${limitMs / 1000} s; try a part of the file`,
      );
    if (error instanceof TooManyRows)
      throw refused(`parameters.filename: a dry run reads at most ${maxRows} rows; try a part of the file`);
    throw asRefusal(error);
  }
}

/** The time limit of a dry run. A finished count is returned, even if no time remains to read the file again. */
class TimeLimit {
  readonly #timeout: AbortSignal;
  readonly #exceeded = new AbortController();
  #isCounted = false;

  constructor(timeout: AbortSignal) {
    this.#timeout = timeout;
    const end = () => {
      if (!this.#isCounted) this.#exceeded.abort(timeout.reason);
    };
    if (timeout.aborted) end();
    timeout.addEventListener('abort', end, { once: true });
  }

  /** Aborted when the time ends before the count. */
  get exceeded(): AbortSignal {
    return this.#exceeded.signal;
  }

  /** Notes that the count is finished. Returns the limit of the second reading: at most the time that remains. */
  endCount(): AbortSignal {
    this.#isCounted = true;
    return AbortSignal.any([this.#timeout, AbortSignal.timeout(cellsMs)]);
  }
}

/** Lock: for the session; other sites, imports and sendings do not use it. */
async function takeTurnOrRefuse({ db }: SiteSession): Promise<void> {
  const { isFree } = await db.one<{ isFree: boolean }>(sql`
    select pg_try_advisory_lock(hashtextextended(${`dry run ${db.site.schema}`}, 0)) as "isFree"`);
  if (!isFree) throw tooMany('Another dry run of this site is running; try again in a moment', 5);
}

function asRefusal(error: unknown): unknown {
  // The file was there a moment ago.
  if (error instanceof Refusal) return error.status === 404 ? refused(error.message) : error;
  // The import would retry it later.
  if (error instanceof ChangingFile || isWorthRetrying(error))
    return unavailable(
      error instanceof ChangingFile ? reasonOf(error) : 'The file or the fields changed; try again',
    );
  const reason = error instanceof TableError ? error.message : permanentReason(error);
  return reason === undefined ? error : refused(`parameters.filename: ${reason}`);
}

type Trying = Pick<Staging, 'settings' | 'at' | 'signal' | 'maxRows'> & { readonly limit: TimeLimit };
type DryStaging = Staging & { readonly errors: FirstRejected; readonly limit: TimeLimit };

async function tryFile(app: App, db: SiteDb, of: Trying): Promise<DryRun> {
  let isCareful = false;
  for (let reading = 1; ; reading++) {
    const refusedCells = new RefusedCells(join(app.config.dataDir, 'tmp'));
    try {
      return await tryOnce(app, db, of, refusedCells, isCareful);
    } catch (error) {
      if (of.signal.aborted || reading === maxReadings) throw error;
      if (error instanceof CopyRefused) isCareful = true;
      else if (!isWorthRetrying(error)) throw error;
    } finally {
      await refusedCells.close();
    }
  }
}

async function tryOnce(
  app: App,
  db: SiteDb,
  of: Trying,
  refusedCells: RefusedCells,
  isCareful: boolean,
): Promise<DryRun> {
  const { settings, signal } = of;
  const fields = new Map((await listFields(db)).map((field) => [field.id, field]));
  return withRepository(app, db, { idRepository: null, signal }, async (files) => {
    const staging = {
      ...{ ...of, fields, files, isCareful },
      stage: temporaryStage,
      errors: new FirstRejected(),
      refused: refusedCells,
      fileRead: fileVersion(await files.stat(settings.filename)),
      tmpDir: join(app.config.dataDir, 'tmp'),
      progress: async () => undefined,
    };
    const staged = await stageFile(db, staging);
    return outcomeOf(app, db, staging, staged, await matched(db, staging, staged));
  });
}

async function matched(
  db: SiteDb,
  staging: Staging & { errors: FirstRejected },
  staged: Staged,
): Promise<ImportCounters> {
  const before = [...staging.errors.rows];
  for (let look = 1; ; look++) {
    try {
      return await matchRows(db, staging, staged, undefined);
    } catch (error) {
      if (!(error instanceof CellsUnknown) || look === maxLooks) throw error;
      await lookUpCells(staging, error.rows);
    }
    await dropMatches(db);
    staging.errors.rows = before;
  }
}

async function outcomeOf(
  app: App,
  db: SiteDb,
  staging: DryStaging,
  staged: Staged,
  counted: ImportCounters,
): Promise<DryRun> {
  const merge = mergeOf(staging, staged.plan);
  const writes = await countChanges(db, merge);
  const isHeld = isHeldBySafeMode(staging, counted);
  const unlessHeld = (number: number) => (isHeld ? 0 : number);
  const rows = await firstRows(db, merge, most.rows);
  const inserted = staging.settings.insertEnabled && !isHeld ? rows.inserted : [];
  const changed = isHeld ? [] : rows.changed;
  const shown = await shownRows(app, staging, [inserted, changed, rows.unchanged, rows.repeated]);
  const [newRows = [], changedRows = [], unchangedRows = [], repeatedRows = []] = shown;
  return {
    ...counted,
    nbUpdates: unlessHeld(writes.changed),
    nbInserts: unlessHeld(staging.settings.insertEnabled ? counted.totalInserts : 0),
    nbUnchanged: counted.totalUpdates - writes.changed,
    isHeldBySafeMode: isHeld,
    nbKeptUnsubscribed: writes.staying,
    nbResubscribed: writes.returning,
    nbUnsubscribed: writes.leaving,
    nbClearedValues: writes.cleared,
    ...{ newRows, changedRows, unchangedRows, repeatedRows },
    rejectedRows: staging.errors.rows,
  };
}

/**
 * Reads the file again for the cells of a few rows, until it has them all or its time has ended. Rows whose cells are
 * not read then, or all rows if the reading fails, are returned without cells.
 * @throws the reason of the staging's signal
 */
async function shownRows(
  app: App,
  of: DryStaging,
  lists: readonly (readonly number[])[],
): Promise<FileRow[][]> {
  const cells = new Map<number, string[]>();
  const isOver = of.limit.endCount();
  const signal = AbortSignal.any([of.signal, isOver]);
  try {
    await unlessAborted(signal, readCells({ ...of, signal }, new Set(lists.flat()), cells));
  } catch (error) {
    of.signal.throwIfAborted();
    if (!isOver.aborted) {
      app.log.info({ err: error }, 'the cells of a dry run could not be read');
      // They may be of another version of the file.
      cells.clear();
    }
  }
  return lists.map((rows) => rows.map((row) => ({ row, cells: cells.get(row) ?? null })));
}

async function readCells(
  of: Staging,
  wanted: ReadonlySet<number>,
  cells: Map<number, string[]>,
): Promise<void> {
  if (wanted.size === 0) return;
  await checkUnchanged(of);
  for await (const group of rowsOf(of)) {
    for (const { line, cells: found } of group)
      if (wanted.has(line)) cells.set(line, shownCells(found ?? []));
    if (cells.size === wanted.size) return;
    of.signal.throwIfAborted();
  }
}
