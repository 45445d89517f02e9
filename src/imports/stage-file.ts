import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import type { Field } from '../fields/field.ts';
import { columnNameOf } from '../fields/field.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import { TableError, type TableRecord } from '../files/table.ts';
import { readTable } from '../files/table-reader.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Sql } from '../platform/db/sql.ts';
import { createStage } from '../subscribers/subscriber-merge.ts';
import type { ErrorFile } from './error-file.ts';
import { type ImportCounters, noCounters } from './import.ts';
import { ImportCannotStart, type ImportPlan, planImport, readRow } from './import-plan.ts';
import type { ImportSettings } from './import-settings.ts';
import { firstWithoutOwn, widthWithOwn, withoutOwn } from './own-columns.ts';
import type { RefusedCells } from './refused-cells.ts';

export interface Staging {
  readonly settings: ImportSettings;
  readonly fields: ReadonlyMap<number, Field>;
  readonly files: RepositoryFiles;
  readonly stage: Sql;
  readonly errors: ErrorFile;
  readonly refused: RefusedCells;
  /** What `fileVersion` said of the file before it was read. */
  readonly fileRead: string | null;
  /** A folder of this machine for what cannot be read as it comes. */
  readonly tmpDir: string;
  readonly at: Date;
  readonly signal: AbortSignal;
  /** Told how much of the file is read, from 0 to 1. */
  progress(share: number): Promise<void>;
}

/** What a reading found out: the plan of the merge, and the counters so far. */
export interface Staged {
  readonly plan: ImportPlan;
  readonly counters: ImportCounters;
}

/**
 * Reads the file once: checks every row and copies the good ones to the staging table, the others to the error file.
 * Rows pass through in groups, so memory does not grow with the file.
 * @throws ImportCannotStart when the file, or a mapping, makes the import impossible.
 */
export async function stageFile(db: SiteDb, of: Staging): Promise<Staged> {
  const groups = openGroups(of);
  try {
    return await stageGroups(db, of, groups);
  } catch (error) {
    throw error instanceof TableError ? new ImportCannotStart(error.message) : error;
  } finally {
    // Closes the file when the reading stopped before its end.
    await groups.return(undefined);
  }
}

async function stageGroups(db: SiteDb, of: Staging, groups: AsyncGenerator<TableRecord[]>): Promise<Staged> {
  const { hasNames } = of.settings;
  const first = (await groups.next()).value ?? [];
  const plan = planOf(of, first);
  if (hasNames) of.errors.setHead(first[0]?.cells ?? []);
  const columns = plan.columns.map(({ field }) => field);
  await createStage(db, of.stage, columns);
  const counters = noCounters();
  const lines = copyText(of, plan, counters, hasNames ? first.slice(1) : first, groups);
  const names = ['n', ...columns.map(columnNameOf)].join(', ');
  await db.withClient((client) =>
    pipeline(
      Readable.from(lines, { objectMode: false, highWaterMark: 256 * 1024 }),
      client.query(copyStreams.from(`copy ${of.stage.text} (${names}) from stdin`)),
    ),
  );
  return { plan, counters };
}

/** The rows of the file once more, in groups as they come. */
export const rowsOf = (of: Staging): AsyncIterable<TableRecord[]> => openGroups(of);

/** The file's rows; of a list of refused rows without what an earlier import said of them. */
async function* openGroups(of: Staging): AsyncGenerator<TableRecord[], undefined> {
  const { settings, files, tmpDir, signal } = of;
  const progress = async (share: number) => {
    // Long before the first row of an archive or a workbook comes.
    signal.throwIfAborted();
    await of.progress(share);
  };
  let isFirst = true;
  let width: number | undefined;
  for await (const group of readTable(files, settings.filename, {
    format: settings.table,
    tmpDir,
    progress,
  })) {
    if (isFirst) width = widthWithOwn(settings, group);
    const full = width;
    if (full === undefined) yield group;
    else
      yield isFirst
        ? firstWithoutOwn(settings, group, full)
        : group.map((record) => withoutOwn(record, full));
    isFirst = false;
  }
  return undefined;
}

function planOf({ settings, fields, at }: Staging, first: readonly TableRecord[]): ImportPlan {
  const [head] = first;
  if (settings.hasNames && !head) throw new ImportCannotStart('The file is empty');
  if (settings.hasNames && head?.fault) throw new ImportCannotStart(`The line of column names ${head.fault}`);
  // Without names the first sound row says how many columns there are.
  const model = settings.hasNames ? head : first.find((record) => !record.fault);
  return planImport(settings, fields, model?.cells ?? [], at);
}

/** The good rows of each group as one text for COPY. */
async function* copyText(
  of: Staging,
  plan: ImportPlan,
  counters: ImportCounters,
  first: readonly TableRecord[],
  groups: AsyncGenerator<TableRecord[]>,
): AsyncGenerator<string> {
  const head = await textOf(of, plan, counters, first);
  if (head !== '') yield head;
  for await (const group of groups) {
    of.signal.throwIfAborted();
    const text = await textOf(of, plan, counters, group);
    // An empty piece would be taken for a pause of the stream.
    if (text !== '') yield text;
  }
}

async function textOf(
  { errors }: Staging,
  plan: ImportPlan,
  counters: ImportCounters,
  group: readonly TableRecord[],
): Promise<string> {
  let text = '';
  for (const record of group) {
    counters.totalRows++;
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
