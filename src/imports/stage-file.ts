import type { Field } from '../fields/field.ts';
import { columnNameOf } from '../fields/field.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import { ChangingFile, TableError, type TableRecord } from '../files/table.ts';
import { readTable } from '../files/table-reader.ts';
import { copyIn } from '../platform/db/copy-in.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Sql } from '../platform/db/sql.ts';
import { createStage } from '../subscribers/subscriber-merge.ts';
import type { ErrorFile } from './error-file.ts';
import { type ImportCounters, noCounters } from './import.ts';
import { ImportCannotStart, type ImportPlan, planImport, readRow } from './import-plan.ts';
import type { ImportSettings } from './import-settings.ts';
import { firstWithoutOwn, ownCount, widthWithOwn, withoutOwn } from './own-columns.ts';
import type { RefusedCells } from './refused-cells.ts';
import { isEnough, usualWidth } from './usual-width.ts';

export interface Staging {
  readonly settings: ImportSettings;
  readonly fields: ReadonlyMap<number, Field>;
  readonly files: RepositoryFiles;
  readonly stage: Sql;
  readonly errors: Pick<ErrorFile, 'setHead' | 'add'>;
  readonly refused: RefusedCells;
  /** The result of `fileVersion` before the file was read. */
  readonly fileRead: string | null;
  /** Rows are copied so that one which PostgreSQL does not take is refused alone; after `CopyRefused`. */
  readonly isCareful: boolean;
  /** A folder of this machine for what cannot be read as it comes. */
  readonly tmpDir: string;
  readonly at: Date;
  readonly signal: AbortSignal;
  /** Rows that a file may have; omitted: any number. */
  readonly maxRows?: number;
  progress(share: number): Promise<void>;
}

/** A file has more rows than `maxRows`. */
export class TooManyRows extends Error {}

/** PostgreSQL did not take a row that every check has let through; it does not say which one. */
export class CopyRefused extends Error {}

/** The result of reading a file: the plan of the merge, and the counters so far. */
export interface Staged {
  readonly plan: ImportPlan;
  readonly counters: ImportCounters;
}

/**
 * Reads the file once: checks every row and copies the good ones to the staging table, the others to the error file.
 * Rows pass through in groups, so memory does not grow with the file.
 * @throws ImportCannotStart when the file, or a mapping, makes the import impossible; CopyRefused when it is to be read
 *   once more, carefully.
 */
export async function stageFile(db: SiteDb, of: Staging): Promise<Staged> {
  const groups = openGroups(of);
  try {
    return await stageGroups(db, of, groups);
  } catch (error) {
    throw error instanceof TableError && !(error instanceof ChangingFile)
      ? new ImportCannotStart(error.message)
      : error;
  } finally {
    // Closes the file when the reading stopped before its end.
    await groups.return(undefined);
  }
}

async function stageGroups(
  db: SiteDb,
  of: Staging,
  groups: AsyncGenerator<TableRecord[], undefined>,
): Promise<Staged> {
  const { hasNames } = of.settings;
  const file = await openFile(of, groups);
  const { first } = file;
  const plan = planOf(of, file);
  if (hasNames) of.errors.setHead(first[0]?.cells ?? []);
  const columns = plan.columns.map(({ field }) => field);
  await createStage(db, of.stage, columns);
  const counters = noCounters();
  const rows = withFirst(hasNames ? first.slice(1) : first, file.rest);
  const target = `${of.stage.text} (${['n', ...columns.map(columnNameOf)].join(', ')})`;
  if (of.isCareful) await copyCarefully(db, of, plan, counters, rows, target);
  else await copy(db, target, copyText(of, plan, counters, rows)).catch(asCopyRefused);
  return { plan, counters };
}

const copy = (db: SiteDb, target: string, text: AsyncIterable<string> | string[]) =>
  db.withClient((client) => copyIn(client, target, text));

function asCopyRefused(error: unknown): never {
  if (whyRowRefused(error) === undefined) throw error;
  throw new CopyRefused('PostgreSQL did not take a row', { cause: error });
}

interface SoundRow {
  readonly record: TableRecord;
  readonly text: string;
}

/** Copies each group, and halves a failing one down to the faulty rows: at most 2g statements for g rows. */
async function copyCarefully(
  db: SiteDb,
  of: Staging,
  plan: ImportPlan,
  counters: ImportCounters,
  groups: AsyncIterable<readonly TableRecord[]>,
  target: string,
): Promise<void> {
  const copyOrHalve = async (rows: readonly SoundRow[]): Promise<void> => {
    if (rows.length === 0) return;
    const refused = await copy(db, target, [rows.map(({ text }) => text).join('')]).catch((error) => error);
    if (refused === undefined) return;
    const why = whyRowRefused(refused);
    if (why === undefined) throw refused;
    const middle = rows.length >> 1;
    for (const half of middle > 0 ? [rows.slice(0, middle), rows.slice(middle)] : []) await copyOrHalve(half);
    if (middle > 0) return;
    const { line, cells } = rows[0]!.record;
    counters.nbValidations--;
    counters.nbErrorRows++;
    await of.errors.add(line, why, cells);
  };
  for await (const group of groups) {
    of.signal.throwIfAborted();
    const rows: SoundRow[] = [];
    for (const record of group) {
      const text = await textOf(of, plan, counters, [record]);
      if (text !== '') rows.push({ record, text });
    }
    await copyOrHalve(rows);
  }
}

/** The rows of the file once more, in groups as they come. */
export async function* rowsOf(of: Staging): AsyncGenerator<readonly TableRecord[]> {
  const groups = openGroups(of);
  try {
    const { first, rest } = await openFile(of, groups);
    yield* withFirst(first, rest);
  } finally {
    await groups.return(undefined);
  }
}

/** A file after a look at its first rows; without the own columns of a list of rejected rows. */
interface OpenFile {
  readonly first: readonly TableRecord[];
  /** The others, in groups as they come. */
  readonly rest: AsyncIterable<readonly TableRecord[]>;
  /** Cells that a row is to have; undefined when no row says it. */
  readonly width: number | undefined;
}

async function openFile(
  { settings }: Staging,
  groups: AsyncGenerator<TableRecord[], undefined>,
): Promise<OpenFile> {
  const first: TableRecord[] = [];
  // Names say all; without them some rows are needed.
  while (settings.hasNames ? first.length === 0 : !isEnough(first)) {
    const { value } = await groups.next();
    if (value === undefined) break;
    first.push(...value);
  }
  const full = widthWithOwn(settings, first);
  if (full === undefined) {
    const usual = () => usualWidth(first, settings.table.leastColumns);
    return { first, rest: groups, width: settings.hasNames ? first[0]?.cells.length : usual() };
  }
  async function* stripped(width: number): AsyncGenerator<TableRecord[]> {
    for await (const group of groups) yield group.map((record) => withoutOwn(record, width));
  }
  return { first: firstWithoutOwn(settings, first, full), rest: stripped(full), width: full - ownCount };
}

/** The file's rows as they are there. */
async function* openGroups(of: Staging): AsyncGenerator<TableRecord[], undefined> {
  const { settings, files, tmpDir, signal } = of;
  const progress = async (share: number) => {
    // Long before the first row of an archive or a workbook comes.
    signal.throwIfAborted();
    await of.progress(share);
  };
  yield* readTable(files, settings.filename, { format: settings.table, tmpDir, progress });
  return undefined;
}

function planOf({ settings, fields, at }: Staging, { first, width = 0 }: OpenFile): ImportPlan {
  const [head] = first;
  if (settings.hasNames && !head) throw new ImportCannotStart('The file is empty');
  if (settings.hasNames && head?.fault) throw new ImportCannotStart(`The line of column names ${head.fault}`);
  const names = settings.hasNames ? (head?.cells ?? []) : Array.from({ length: width }, () => '');
  return planImport(settings, fields, names, at);
}

async function* withFirst(
  first: readonly TableRecord[],
  groups: AsyncIterable<readonly TableRecord[]>,
): AsyncGenerator<readonly TableRecord[]> {
  yield first;
  yield* groups;
}

/** The good rows of each group as one text for COPY. */
async function* copyText(
  of: Staging,
  plan: ImportPlan,
  counters: ImportCounters,
  groups: AsyncIterable<readonly TableRecord[]>,
): AsyncGenerator<string> {
  for await (const group of groups) {
    of.signal.throwIfAborted();
    const text = await textOf(of, plan, counters, group);
    yield text;
  }
}

async function textOf(
  { errors, maxRows }: Staging,
  plan: ImportPlan,
  counters: ImportCounters,
  group: readonly TableRecord[],
): Promise<string> {
  let text = '';
  for (const record of group) {
    counters.totalRows++;
    if (maxRows !== undefined && counters.totalRows > maxRows) throw new TooManyRows();
    const { line, cells, fault } = record;
    const row = fault ? { fault, isBadlyFormatted: true } : readRow(plan, record);
    if ('line' in row) {
      counters.nbValidations++;
      text += row.line;
      continue;
    }
    if (row.isBadlyFormatted) counters.nbBadFormattedRows++;
    else counters.nbErrorRows++;
    await errors.add(line, row.fault, cells);
  }
  return text;
}
