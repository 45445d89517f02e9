import { forEachSite } from '../accounts/for-each-site.ts';
import { openRepository } from '../files/open-repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { task } from '../platform/tasks.ts';
import { deleteUnused, endFilesNamed, listDueFiles } from './filter-file-store.ts';

/** Values older than this are in no statement: statements on sets end within ten minutes. */
const keptMs = 3_600_000;

/**
 * Deletes the files of file filters whose date has passed, with their loaded values, and values that no filter uses. It
 * runs at such a date for its site, and every hour for all sites. Safe to kill at any point: the next run does the
 * rest. A filter selects no subscribers from its date on, whether this has run or not.
 */
export const tidyFilterFiles = task<{ idSite: number | null }>({
  name: 'tidyFilterFiles',
  cron: '23 * * * *',
  async run(app, { idSite }) {
    if (!idSite) return forEachSite(app, 'filter file cleanup failed', (db) => tidy(app, db));
    const db = await app.siteById(idSite);
    if (db) await tidy(app, db);
  },
});

/** @throws AggregateError when some files could not be deleted; the others are deleted. */
async function tidy(app: App, db: SiteDb): Promise<void> {
  const now = app.clock.now();
  await deleteUnused(db, new Date(now.getTime() - keptMs));
  const due = await listDueFiles(db, now);
  if (due.length === 0) return;
  const files = await openRepository(app, db, null);
  const failures: unknown[] = [];
  for (const filename of due)
    try {
      // The file first: if the process is killed in between, the next run finds no file and deletes its values.
      const wasThere = await files.remove(filename);
      await endFilesNamed(db, filename, now);
      if (wasThere) app.log.info({ idSite: db.site.id, filename }, 'filter file deleted at its date');
    } catch (error) {
      failures.push(error);
    }
  await files.close();
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} filter files could not be deleted`);
}
