import { openRepository } from '../../files/open-repository.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { task } from '../../platform/tasks.ts';
import { clearDrafts } from '../export-drafts.ts';
import { settingsOf } from '../export-settings.ts';
import { findExport } from '../export-store.ts';

/** Removes the temporary files of a failed export. An unavailable server is retried for about four days. */
export const clearExportDrafts = task<{ idSite: number; idExport: number }>({
  name: 'clearExportDrafts',
  async run(app, { idSite, idExport }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const found = await findExport(db, idExport);
    // The next run of an open export clears its own.
    if (!found?.endedAt) return;
    try {
      const files = await openRepository(app, db, found.idRepository);
      try {
        await clearDrafts(app, db, files, settingsOf(found.request).folder, found);
      } finally {
        await files.close().catch(() => undefined);
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error;
      // The repository no longer exists, or access to it was denied: a retry changes nothing.
      app.log.warn(
        { err: error, site: db.site.name, idExport },
        'temporary files of an export could not be removed',
      );
    }
  },
  /** The runner logs it; nothing waits for the files. */
  async gaveUp() {},
});
