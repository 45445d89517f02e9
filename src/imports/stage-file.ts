import { pipeline as pipe, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import type { Field } from '../fields/field.ts';
import { columnNameOf } from '../fields/field.ts';
import { readCsv } from '../files/csv-reader.ts';
import { CsvError, type CsvRecord } from '../files/csv-splitter.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { createStage } from '../subscribers/subscriber-merge.ts';
import type { ErrorFile } from './error-file.ts';
import { type ImportCounters, noCounters } from './import.ts';
import { ImportCannotStart, type ImportPlan, planImport, readRow } from './import-plan.ts';
import type { ImportSettings } from './import-settings.ts';

export interface Staging {
  readonly settings: ImportSettings;
  readonly fields: ReadonlyMap<number, Field>;
  readonly files: RepositoryFiles;
  readonly stage: Sql;
  readonly errors: ErrorFile;
  readonly at: Date;
  readonly signal: AbortSignal;
  /** Told how much of the file is read, from 0 to 1. */
  progress(share: number): Promise<void>;
}

/**
 * Reads the file once: checks every row and copies the good ones to the staging table, the others to the error file.
 * Rows pass through in groups, so memory does not grow with the file.
 * @throws ImportCannotStart when the file, or a mapping, makes the import impossible.
 */
export async function stageFile(
  db: SiteDb,
  of: Staging,
): Promise<{ plan: ImportPlan; counters: ImportCounters }> {
  const groups = await openGroups(of);
  try {
    return await stageGroups(db, of, groups);
  } catch (error) {
    throw error instanceof CsvError ? new ImportCannotStart(error.message) : error;
  } finally {
    // Closes the file when the reading stopped before its end.
    await groups.return(undefined);
  }
}

async function stageGroups(
  db: SiteDb,
  of: Staging,
  groups: AsyncGenerator<CsvRecord[]>,
): Promise<{ plan: ImportPlan; counters: ImportCounters }> {
  const { hasNames } = of.settings;
  const first = (await groups.next()).value ?? [];
  const plan = planOf(of, first);
  of.errors.setHead(hasNames ? (first[0]?.cells ?? []) : []);
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

/** The rows of a file that have one of these numbers. */
export async function* rowsOfNumbers(of: Staging, numbers: ReadonlySet<number>): AsyncGenerator<CsvRecord> {
  for await (const group of await openGroups(of)) yield* group.filter((record) => numbers.has(record.line));
}

async function openGroups({ settings, files, progress }: Staging): Promise<AsyncGenerator<CsvRecord[]>> {
  const { filename, csv } = settings;
  const stat = await files.stat(filename).catch(unreadable);
  if (!stat) throw new ImportCannotStart(`The file ${filename} does not exist`);
  const source = await files.read(filename).catch(unreadable);
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      progress(stat.size > 0 ? bytes / stat.size : 1).then(() => done(null, chunk), done);
    },
  });
  source.once('error', (error) => meter.destroy(new CsvError(`The file cannot be read: ${error.message}`)));
  // The error reaches the reader through the meter; the callback only keeps it from being thrown twice.
  return readCsv(
    filename,
    pipe(source, meter, () => undefined),
    csv,
  );
}

/** What the repository refuses (a name, a file behind a link) is the import's own fault; the rest is tried again. */
function unreadable(error: unknown): never {
  if (error instanceof Refusal && error.status === 503) throw error;
  throw new ImportCannotStart(`The file cannot be read: ${(error as Error).message}`);
}

function planOf({ settings, fields, at }: Staging, first: readonly CsvRecord[]): ImportPlan {
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
  first: readonly CsvRecord[],
  groups: AsyncGenerator<CsvRecord[]>,
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
  group: readonly CsvRecord[],
): Promise<string> {
  let text = '';
  for (const { line, cells, fault } of group) {
    counters.totalRows++;
    const row = fault ? { fault, isBadlyFormatted: true } : readRow(plan, line, cells);
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
