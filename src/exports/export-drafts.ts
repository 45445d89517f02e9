import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { StoredExport } from './export.ts';

/** The temporary file of an export's last run, in the folder of its file. */
export function draftName(app: App, db: SiteDb, of: StoredExport): string {
  return `${prefixOf(app, db, of)}${of.runs}.tmp`;
}

/**
 * Removes the temporary files that runs of an export have left. Should one of these runs still be alive somewhere, it
 * cannot end: the file that it wants to rename no longer exists. Nothing else goes, not even what is named nearly so:
 * accounts are shared, and other installations have exports of the same site and number.
 * @param folder as in the export's settings
 */
export async function clearDrafts(
  app: App,
  db: SiteDb,
  files: RepositoryFiles,
  folder: string,
  of: StoredExport,
): Promise<void> {
  const prefix = prefixOf(app, db, of);
  for (const { name, isDirectory } of await files.list(folder)) {
    const run = name.startsWith(prefix)
      ? /^([1-9]\d*)\.tmp$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    if (isDirectory || run === undefined || Number(run) > of.runs) continue;
    await files.remove(folder === '' ? name : `${folder}/${name}`);
  }
}

/** The beginning of the names of one export's temporary files; the number of the run follows. */
function prefixOf({ secrets }: App, { site }: SiteDb, { id }: StoredExport): string {
  const ours = secrets
    .sign('export draft', Buffer.from(`${site.id} ${id}`))
    .toString('hex')
    .slice(0, 12);
  return `.facteur-export-${site.name}-${id}-${ours}-`;
}
