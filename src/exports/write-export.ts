import { finished, pipeline, type Readable } from 'node:stream';
import { CsvEncoder } from '../files/csv-encoder.ts';
import { openRepository } from '../files/open-repository.ts';
import { gzipped, zipped } from '../files/packed.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { StoredExport } from './export.ts';
import { openRows } from './export-rows.ts';
import { type ExportSettings, fileNameOf, filePathOf } from './export-settings.ts';

/** What a file holds. */
export interface WrittenExport {
  readonly nbLines: number;
  /** Characters that its code page does not have. */
  readonly nbReplaced: number;
}

/**
 * Writes the file of one run: rows from PostgreSQL through encoder and packing into the repository, none of them kept.
 * Nothing has the file's name before it is whole; what dead runs have left is cleared.
 */
export async function writeExport(
  app: App,
  db: SiteDb,
  of: StoredExport,
  settings: ExportSettings,
  signal: AbortSignal,
): Promise<WrittenExport> {
  const files = await openRepository(app, db, of.idRepository);
  try {
    if (of.runs > 1) await clearDrafts(files, settings.folder, draftPrefix(db, of));
    return await db.transaction((tx) => writeRows(app, files, tx, of, settings, signal), 'repeatable read');
  } finally {
    // The file is there or it is not; how the connection ends says nothing about it.
    await files.close().catch(() => undefined);
  }
}

async function writeRows(
  app: App,
  files: RepositoryFiles,
  tx: SiteDb,
  of: StoredExport,
  settings: ExportSettings,
  signal: AbortSignal,
): Promise<WrittenExport> {
  const { header, rows } = await openRows(app, tx, settings, of.startedAt!);
  const encoder = new CsvEncoder(settings);
  encoder.write(header);
  const source = packed(
    pipeline(rows, encoder, () => undefined),
    settings,
    fileNameOf(settings, tx.site.name, of),
    of.startedAt!,
  );
  const stop = (): void =>
    void source.destroy(new Error('The service ends; the export starts over with the next'));
  signal.addEventListener('abort', stop, { once: true });
  finished(source, () => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  const draft = `${draftFolder(settings)}${draftPrefix(tx, of)}${of.runs}.tmp`;
  await files.write(filePathOf(settings, tx.site.name, of), source, draft);
  return { nbLines: encoder.lines - 1, nbReplaced: encoder.replaced };
}

function packed(csv: Readable, { compression }: ExportSettings, fileName: string, at: Date): Readable {
  if (compression === 'GZip') return gzipped(csv);
  if (compression === 'Zip') return zipped(csv, entryNameOf(fileName), at);
  return csv;
}

/** `people.csv` of `people.csv.zip` and of `people.zip`. */
function entryNameOf(fileName: string): string {
  const name = fileName.replace(/\.zip$/i, '');
  return /\.[a-z0-9]+$/i.test(name) ? name : `${name}.csv`;
}

const draftFolder = ({ folder }: ExportSettings) => (folder === '' ? '' : `${folder}/`);

/** Names of temporary files of one export; the number of the run follows. */
const draftPrefix = ({ site }: SiteDb, { id }: StoredExport) => `.facteur-export-${site.name}-${id}-`;

/**
 * Removes what earlier runs have left. Should one of them still be alive somewhere, it cannot end: the file that it
 * wants to rename is gone.
 */
async function clearDrafts(files: RepositoryFiles, folder: string, prefix: string): Promise<void> {
  for (const { name } of await files.list(folder)) {
    if (name.startsWith(prefix)) await files.remove(folder === '' ? name : `${folder}/${name}`);
  }
}
