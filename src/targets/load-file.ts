import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Field } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import { openRepository } from '../files/open-repository.ts';
import { type FileStat, isSameFile, type RepositoryFiles } from '../files/repository.ts';
import { ChangingFile, TableError, type TableRecord } from '../files/table.ts';
import { readTable } from '../files/table-reader.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { findLoaded, insertLoaded, lockFile } from './filter-file-store.ts';
import {
  comparisonOf,
  delimiterOf,
  type FileTally,
  fieldOfColumn,
  type NeededFile,
  valuesOf,
} from './filters/filter-file.ts';

/** Maximum number of values of a file; 5,000,000 emails take half a gigabyte of the database, and a minute to load. */
const maxValues = 5_000_000;

/** The state of one load of one file for one field. */
export interface LoadProgress {
  /** The file when the load started. */
  stat?: FileStat;
  /** Values read so far. */
  nbRead: number;
}

interface Loading {
  readonly app: App;
  readonly files: RepositoryFiles;
  readonly filename: string;
  readonly field: Field;
  readonly progress: LoadProgress;
}

export class MissingFile extends TableError {}

/**
 * Loads the current values of a file into the database in its own transaction, all of them or none. A second load of
 * the same file waits for the first, and finds it loaded.
 * @throws TableError with the reason why the file cannot be used; 503 when the repository is unavailable.
 */
export async function loadFile(
  app: App,
  db: SiteDb,
  { filename, dbFieldName }: NeededFile,
  progress: LoadProgress,
): Promise<void> {
  const files = await openRepository(app, db, null);
  try {
    await db.transaction(async (tx) => {
      // No request waits for a statement of this transaction, so their time limit does not apply.
      await tx.run(sql`select set_config('statement_timeout', '0', true)`);
      // Not locked: a change of the field's type need not wait for the file, because values are found by the type too.
      const fields = new Map((await listFields(tx)).map((one) => [one.id, one]));
      const field = fieldOfColumn(fields, dbFieldName);
      // The waiting request reads the field again, and reports what is wrong with it.
      if (!field || !comparisonOf(field)) return;
      await lockFile(tx, filename, field);
      await loadSettled(tx, { app, files, filename, field, progress });
    });
  } finally {
    await files.close();
  }
}

/**
 * Loads the file once every later change of it must show. Servers may report times in whole seconds, so a file replaced
 * within a second by one of the same size would look unchanged. After the pause, any change has another time, whatever
 * clock the server uses.
 */
async function loadSettled(tx: SiteDb, of: Loading): Promise<void> {
  const { files, filename, field, progress } = of;
  const stat = await statOf(files, filename);
  progress.stat = stat;
  // Another process may have loaded it while this one waited for the lock.
  if (await findLoaded(tx, filename, field, stat)) return;
  await pause(files.settlesMs);
  refuseOther(stat, await statOf(files, filename), filename);
  const tally: FileTally = { nbBad: 0 };
  const what = { filename, field, stat, at: of.app.clock.now() };
  await insertLoaded(tx, what, readValues(of, tally), () => tally.nbBad);
  refuseOther(stat, await statOf(files, filename), filename);
}

/** A file that changed while it was read may be half of a file, which would be taken for all of it. */
function refuseOther(before: FileStat, after: FileStat, filename: string): void {
  if (!isSameFile(before, after)) throw new ChangingFile(filename);
}

/** @throws TableError when the file does not exist or cannot be read; 503 when the repository is unavailable. */
export async function statOf(files: RepositoryFiles, filename: string): Promise<FileStat> {
  const stat = await files.stat(filename).catch(unreadable);
  if (!stat) throw new MissingFile(`The file ${filename} is not in the repository`);
  return stat;
}

/** Reports what the repository refuses, for example a file behind a link. An unavailable repository stays a 503. */
function unreadable(error: unknown): never {
  if (error instanceof Refusal && error.status === 503) throw error;
  throw new TableError(`The file cannot be read: ${(error as Error).message}`);
}

async function* readValues(of: Loading, tally: FileTally): AsyncGenerator<string[]> {
  const { filename, field, progress } = of;
  const [first] = await firstRecords(of);
  for await (const group of tableOf(of, delimiterOf(first))) {
    const values = [...valuesOf(group, field, tally)];
    progress.nbRead += values.length;
    if (progress.nbRead > maxValues)
      throw new TableError(`The file ${filename} has more than ${maxValues} values`);
    yield values;
  }
}

async function firstRecords(of: Loading): Promise<readonly TableRecord[]> {
  for await (const group of tableOf(of, ';')) return group;
  return [];
}

function tableOf({ app, files, filename }: Loading, delimiter: string): AsyncGenerator<TableRecord[]> {
  const csv = { delimiter, qualifier: '"', rowDelimiter: 'lines', codePage: 65_001, startLine: 1 };
  const format = { csv, sheetName: '', leastColumns: null };
  return readTable(files, filename, { format, tmpDir: join(app.config.dataDir, 'tmp') });
}
