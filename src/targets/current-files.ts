import { join } from 'node:path';
import type { Field } from '../fields/field.ts';
import { openRepository } from '../files/open-repository.ts';
import type { FileStat, RepositoryFiles } from '../files/repository.ts';
import { TableError, type TableRecord } from '../files/table.ts';
import { readTable } from '../files/table-reader.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';
import {
  comparisonOf,
  delimiterOf,
  type FileState,
  type FileTally,
  fieldOfColumn,
  fileKey,
  type NeededFile,
  valuesOf,
} from './filter-file.ts';
import { findLoaded, insertLoaded, type LoadedFile, lockFile } from './filter-file-store.ts';

/** Values of one file; 5,000,000 emails take half a gigabyte of the database, and a minute to load. */
const maxValues = 5_000_000;

interface Loading {
  readonly app: App;
  readonly tx: SiteDb;
  readonly files: RepositoryFiles;
  readonly fields: ReadonlyMap<number, Field>;
  readonly at: Date;
}

/**
 * The files that are needed at an instant, each with its values in the database as it is in the repository now: one
 * that is new or has changed is loaded first, in this transaction. What cannot be had is told with why, never replaced
 * by what there was before.
 * @throws 503 when the repository is away.
 */
export async function currentFiles(
  app: App,
  tx: SiteDb,
  needed: readonly NeededFile[],
  fields: ReadonlyMap<number, Field>,
  at: Date,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  const due = new Map(needed.filter(({ until }) => until > at).map((one) => [fileKey(one), one]));
  if (due.size === 0) return states;
  const files = await openRepository(app, tx, null);
  try {
    // In one order, so that two transactions that need the same files do not wait for each other.
    for (const [key, one] of [...due].sort(([a], [b]) => (a < b ? -1 : 1))) {
      states.set(key, await stateOf({ app, tx, files, fields, at }, one));
    }
  } finally {
    await files.close();
  }
  return states;
}

/**
 * The same for those who only tell of the filters: a repository that is away is what there is to tell of its files.
 */
export async function describedFiles(
  app: App,
  db: SiteDb,
  needed: readonly NeededFile[],
  fields: ReadonlyMap<number, Field>,
  at: Date,
): Promise<Map<string, FileState>> {
  try {
    return await db.transaction((tx) => currentFiles(app, tx, needed, fields, at));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const state: FileState = { fault: error.message, trouble: 'away' };
    return new Map(needed.filter(({ until }) => until > at).map((one) => [fileKey(one), state]));
  }
}

async function stateOf(of: Loading, { filename, dbFieldName }: NeededFile): Promise<FileState> {
  const field = fieldOfColumn(of.fields, dbFieldName);
  if (!field || !comparisonOf(field))
    return { fault: `${dbFieldName} is no field that a file can be compared with`, trouble: 'field' };
  try {
    const stat = await statOf(of.files, filename);
    const known = await findLoaded(of.tx, filename, field, stat);
    return known ?? (await load(of, filename, field));
  } catch (error) {
    if (error instanceof TableError || (error instanceof Refusal && error.status < 500)) {
      return { fault: error.message, trouble: error instanceof MissingFile ? 'missing' : 'unreadable' };
    }
    throw error;
  }
}

class MissingFile extends TableError {}

async function statOf(files: RepositoryFiles, filename: string): Promise<FileStat> {
  const stat = await files.stat(filename).catch(unreadable);
  if (!stat) throw new MissingFile(`The file ${filename} is not in the repository`);
  return stat;
}

/** What the repository refuses (a file behind a link) is told; one that is away may be back soon. */
function unreadable(error: unknown): never {
  if (error instanceof Refusal && error.status === 503) throw error;
  throw new TableError(`The file cannot be read: ${(error as Error).message}`);
}

async function load(of: Loading, filename: string, field: Field): Promise<FileState> {
  const { tx, files } = of;
  await lockFile(tx, filename, field);
  const stat = await statOf(files, filename);
  const meanwhile = await findLoaded(tx, filename, field, stat);
  if (meanwhile) return meanwhile;
  await tx.run(sql`savepoint load_file`);
  try {
    return await loadWhole(of, filename, field, stat);
  } catch (error) {
    // What was loaded of a file that is not whole goes, and the transaction can go on to tell it.
    await tx.run(sql`rollback to savepoint load_file`);
    throw error;
  }
}

async function loadWhole(of: Loading, filename: string, field: Field, stat: FileStat): Promise<LoadedFile> {
  const { tx, files, at } = of;
  const tally: FileTally = { nbBad: 0 };
  const loaded = await insertLoaded(
    tx,
    { filename, field, stat, at },
    readValues(of, filename, field, tally),
    () => tally.nbBad,
  );
  const after = await statOf(files, filename);
  // Half a file is not served: it would be taken for the whole until the other half has come.
  if (after.size !== stat.size || after.modifiedAt.getTime() !== stat.modifiedAt.getTime()) {
    throw new TableError(`The file ${filename} is being written; try again when it is whole`);
  }
  return loaded;
}

async function* readValues(
  of: Loading,
  filename: string,
  field: Field,
  tally: FileTally,
): AsyncGenerator<string[]> {
  const [first] = await firstRecords(of, filename);
  let count = 0;
  for await (const group of tableOf(of, filename, delimiterOf(first))) {
    const values = [...valuesOf(group, field, tally)];
    count += values.length;
    if (count > maxValues) throw new TableError(`The file ${filename} has more than ${maxValues} values`);
    yield values;
  }
}

async function firstRecords(of: Loading, filename: string): Promise<readonly TableRecord[]> {
  for await (const group of tableOf(of, filename, ';')) return group;
  return [];
}

function tableOf(
  { app, files }: Loading,
  filename: string,
  delimiter: string,
): AsyncGenerator<TableRecord[]> {
  const csv = { delimiter, qualifier: '"', rowDelimiter: 'lines', codePage: 65_001, startLine: 1 };
  const format = { csv, sheetName: '', leastColumns: 1 };
  return readTable(files, filename, { format, tmpDir: join(app.config.dataDir, 'tmp') });
}
