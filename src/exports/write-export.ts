import { finished, pipeline } from 'node:stream';
import { CsvEncoder } from '../files/csv-encoder.ts';
import { openRepository } from '../files/open-repository.ts';
import { gzipped, zipped } from '../files/packed.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Selection } from '../targets/selection.ts';
import type { StoredExport } from './export.ts';
import { clearDrafts, draftName } from './export-drafts.ts';
import { openRows } from './export-rows.ts';
import { type ExportSettings, fileNameOf, filePathOf, type StatisticsSettings } from './export-settings.ts';
import { openStatistics } from './statistics-rows.ts';

export interface WrittenExport {
  readonly nbLines: number;
  /** Characters that its code page does not have. */
  readonly nbReplaced: number;
}

/** Time limit of evaluating the target in milliseconds; longer than for a request. */
const evaluationMs = 10 * 60_000;
/** How long a repository has to remove the temporary file after a run is cut off, in milliseconds. */
const graceMs = 5_000;

/**
 * Writes the file of one run: rows from PostgreSQL through encoder and packing into the repository, none of them
 * kept. Nothing has the file's name before it is whole; what dead runs have left is cleared.
 * @throws Error when `signal` requests the end, and when the run has taken as long as one may.
 */
export async function writeExport(
  app: App,
  db: SiteDb,
  of: StoredExport,
  settings: ExportSettings | StatisticsSettings,
  signal: AbortSignal,
): Promise<WrittenExport> {
  const cut = new AbortController();
  const end = (): void =>
    cut.abort(new Error('The service is stopping; the export restarts with the next start'));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  // A server that takes a little now and then would hold a worker, and the snapshot of the database, for ever.
  const { exportLimitS } = app.config;
  const slow = `it was not whole after ${exportLimitS} s, the longest that a try may take`;
  const timer = setTimeout(() => cut.abort(new Error(slow)), exportLimitS * 1_000);
  try {
    return await writeUntil(app, db, of, settings, cut.signal);
  } catch (error) {
    throw cut.signal.aborted ? cut.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** The same, until it is cut off; a repository that does not answer then is left. */
async function writeUntil(
  app: App,
  db: SiteDb,
  of: StoredExport,
  settings: ExportSettings | StatisticsSettings,
  cut: AbortSignal,
): Promise<WrittenExport> {
  const files = await openRepository(app, db, of.idRepository);
  let closed: Promise<void> | undefined;
  // The file is there or it is not; how the connection ends says nothing about it.
  const close = (): Promise<void> => (closed ??= files.close().catch(() => undefined));
  let grace: NodeJS.Timeout | undefined;
  const leave = (): void => {
    grace = setTimeout(close, graceMs);
  };
  cut.addEventListener('abort', leave, { once: true });
  if (cut.aborted) leave();
  try {
    if (of.runs > 1) await clearDrafts(app, db, files, settings.folder, of);
    const options = { app, db, at: of.startedAt!, limitMs: evaluationMs, signal: cut, keepsSnapshot: true };
    return await Selection.select({ ...options, reader: 'task' }, (selection) =>
      writeRows(app, files, selection, of, settings, cut),
    );
  } finally {
    clearTimeout(grace);
    cut.removeEventListener('abort', leave);
    await close();
  }
}

async function writeRows(
  app: App,
  files: RepositoryFiles,
  selection: Selection,
  of: StoredExport,
  settings: ExportSettings | StatisticsSettings,
  cut: AbortSignal,
): Promise<WrittenExport> {
  const { tx } = selection;
  const { header, rows } = await ('statistics' in settings
    ? openStatistics(app, tx, settings)
    : openRows(selection, settings));
  const encoder = new CsvEncoder(settings);
  encoder.write(header);
  const csv = pipeline(rows, encoder, () => undefined);
  const { compression } = settings;
  const entry = entryNameOf(fileNameOf(settings, tx.site.name, of));
  const unpacked = compression === 'Zip' ? zipped(csv, entry, of.startedAt!) : csv;
  const source = compression === 'GZip' ? gzipped(csv) : unpacked;
  const stop = (): void => void source.destroy(cut.reason as Error);
  cut.addEventListener('abort', stop, { once: true });
  finished(source, () => cut.removeEventListener('abort', stop));
  if (cut.aborted) stop();
  const folder = settings.folder === '' ? '' : `${settings.folder}/`;
  await files.write(filePathOf(settings, tx.site.name, of), source, `${folder}${draftName(app, tx, of)}`);
  return { nbLines: encoder.lines - 1, nbReplaced: encoder.replaced };
}

/** `people.csv` of `people.csv.zip` and of `people.zip`. */
function entryNameOf(fileName: string): string {
  const name = fileName.replace(/\.zip$/i, '');
  return /\.[a-z0-9]+$/i.test(name) ? name : `${name}.csv`;
}
