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
import {
  comparisonOf,
  delimiterOf,
  type FileTally,
  fieldOfColumn,
  type NeededFile,
  valuesOf,
} from './filter-file.ts';
import { findLoaded, insertLoaded, lockFile } from './filter-file-store.ts';

/** Values of one file; 5,000,000 emails take half a gigabyte of the database, and a minute to load. */
const maxValues = 5_000_000;

/** One load of one file for one field, as others see it. */
export interface LoadProgress {
  /** The file as it was when it was looked at first. */
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

/** The file is not in the repository. */
export class MissingFile extends TableError {}

/**
 * Brings the values of a file as it is now into the database, in a transaction of its own: all of them or none. Two
 * that load the same file come one after the other, and the second finds it loaded.
 * @throws TableError with why the file cannot be used; 503 when the repository is unavailable.
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
      // Nobody's request waits for a statement of this transaction, so the limit of theirs does not hold here.
      await tx.run(sql`select set_config('statement_timeout', '0', true)`);
      // Not held: anyone who changes the field's type does not wait for a file, and its values are found by the type.
      const fields = new Map((await listFields(tx)).map((one) => [one.id, one]));
      const field = fieldOfColumn(fields, dbFieldName);
      // Anyone who asked looks again, and shows what is wrong with the field.
      if (!field || !comparisonOf(field)) return;
      await lockFile(tx, filename, field);
      await loadSettled(tx, { app, files, filename, field, progress });
    });
  } finally {
    await files.close();
  }
}

/**
 * Loads the file once every later change of it must show: the time of a change may be told in whole seconds, and a file
 * replaced by one of the same size within such a second would look like the one before. It was looked at, so it had its
 * time already; after the pause a change has another time, by whatever clock the server goes.
 */
async function loadSettled(tx: SiteDb, of: Loading): Promise<void> {
  const { files, filename, field, progress } = of;
  const stat = await statOf(files, filename);
  progress.stat = stat;
  // Somebody else may have loaded it while this one waited for the lock.
  if (await findLoaded(tx, filename, field, stat)) return;
  await pause(files.settlesMs);
  refuseOther(stat, await statOf(files, filename), filename);
  const tally: FileTally = { nbBad: 0 };
  const what = { filename, field, stat, at: of.app.clock.now() };
  await insertLoaded(tx, what, readValues(of, tally), () => tally.nbBad);
  refuseOther(stat, await statOf(files, filename), filename);
}

/** Half a file is not served: it would be taken for the whole until the other half has come. */
function refuseOther(before: FileStat, after: FileStat, filename: string): void {
  if (!isSameFile(before, after)) throw new ChangingFile(filename);
}

/** @throws TableError when there is no such file, or the repository does not give it; 503 when that is unavailable. */
export async function statOf(files: RepositoryFiles, filename: string): Promise<FileStat> {
  const stat = await files.stat(filename).catch(unreadable);
  if (!stat) throw new MissingFile(`The file ${filename} is not in the repository`);
  return stat;
}

/** What the repository refuses (a file behind a link) is told; one that is unavailable may be back soon. */
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
