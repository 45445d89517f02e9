import { isTemporaryFile } from '../files/file-name.ts';
import { isDenied } from '../files/folder-error.ts';
import type { RepositoryEntry, RepositoryFiles } from '../files/repository.ts';
import { errorFileName } from '../imports/import-settings.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import {
  Bool,
  Closed,
  Id,
  Nullable,
  type PageRange,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { filePathOf, settingsOf } from './export-settings.ts';
import { listExportRows } from './export-store.ts';

/** Maximum number of entries of a folder, and of recent runs that are compared with its files. */
const most = { entries: 10_000, runs: 1_000 } as const;

export const FileEntry = Closed('FileEntry', {
  path: Type.String({ title: 'String', description: 'The name as imports take it, with its folders' }),
  isFolder: Bool(),
  sizeInBytes: Type.Integer({ title: 'Int64', minimum: 0, description: '0 for a folder' }),
  lastUpdateDate: Timestamp(),
  idImport: Nullable(
    Id(
      'import',
      'The newest of the last 1,000 runs of imports that read it or wrote its rejected rows to it',
    ),
  ),
  idExport: Nullable(Id('export', 'The newest of the last 1,000 exports that wrote it')),
});
export type FileEntry = Static<typeof FileEntry>;

export const fileSorts = ['Name', 'LastUpdate', 'Size'] as const;
type FileSort = (typeof fileSorts)[number];

/** One page of a folder, folders first, without temporary files. @throws 422 for more than 10,000 entries */
export async function pageOfFolder(
  files: RepositoryFiles,
  folder: string,
  { sortBy, isDescending, start, limit }: PageRange<FileSort>,
  signal?: AbortSignal,
): Promise<{ totalCount: number; entries: RepositoryEntry[] }> {
  const found = await files.list(folder, most.entries, signal).catch((error: unknown) => {
    // A file, or a link of the embedded server's folder.
    if (isDenied(error)) return [];
    throw error;
  });
  const entries = found.filter(({ name, isDirectory }) => isDirectory || !isTemporaryFile(name));
  const folders = entries.filter(({ isDirectory }) => isDirectory);
  const plain = entries.filter(({ isDirectory }) => !isDirectory).sort((a, b) => orders[sortBy](a, b));
  if (isDescending) plain.reverse();
  return { totalCount: entries.length, entries: [...folders, ...plain].slice(start, start + limit) };
}

const byName = (a: RepositoryEntry, b: RepositoryEntry) => (a.name < b.name ? -1 : 1);
const orders: Readonly<Record<FileSort, (a: RepositoryEntry, b: RepositoryEntry) => number>> = {
  Name: byName,
  LastUpdate: (a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime() || byName(a, b),
  Size: (a, b) => a.size - b.size || byName(a, b),
};

/** Shows entries of a folder with the imports and exports that they belong to. */
export async function showEntries(
  db: SiteDb,
  { folder, idRepository }: { readonly folder: string; readonly idRepository: number },
  entries: readonly RepositoryEntry[],
): Promise<FileEntry[]> {
  const [imports, exports] = [await filesOfImports(db), await filesOfExports(db, idRepository)];
  return entries.map(({ name, isDirectory, size, modifiedAt }) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    return {
      path,
      isFolder: isDirectory,
      sizeInBytes: isDirectory ? 0 : size,
      lastUpdateDate: modifiedAt.toISOString(),
      idImport: (!isDirectory && imports.get(path)) || null,
      idExport: (!isDirectory && exports.get(path)) || null,
    };
  });
}

/** The newest import of each file that recent runs read, and of each file of their rejected rows. */
async function filesOfImports(db: SiteDb): Promise<ReadonlyMap<string, number>> {
  const runs = await db.rows<{ id: number; filename: string }>(sql`
    select id_import as id, log ->> 'filename' as filename from ${db.t.import_log}
    order by id desc limit ${most.runs}`);
  return newestFirst(
    runs.flatMap(({ id, filename }) => [
      [filename, id],
      [errorFileName(filename), id],
    ]),
  );
}

/** The newest export of each file that recent exports wrote to a repository. */
async function filesOfExports(db: SiteDb, idRepository: number): Promise<ReadonlyMap<string, number>> {
  const page = { state: 'COMPLETED', isDescending: true, start: 0, limit: most.runs } as const;
  const { rows } = await listExportRows(db, page);
  return newestFirst(
    rows
      .filter((row) => row.idRepository === idRepository)
      .map((row) => [filePathOf(settingsOf(row.request), db.site.name, row), row.id]),
  );
}

/** A map in which the first value of each key counts. */
const newestFirst = (pairs: readonly (readonly [string, number])[]): ReadonlyMap<string, number> =>
  new Map(pairs.toReversed().map(([path, id]) => [path.normalize('NFC'), id]));
