import { openRepository } from '../../files/open-repository.ts';
import type { RepositoryFiles } from '../../files/repository.ts';
import type { App } from '../../platform/app.ts';
import { task } from '../../platform/jobs.ts';
import { sendNotice } from '../../platform/notice.ts';
import { fileVersion, type Import, type ImportLog } from '../import.ts';
import { importSettings } from '../import-settings.ts';
import { fileReadBy, findImport } from '../import-store.ts';

/**
 * What follows the end of an import and can be done twice without harm: the file is deleted where that was asked for
 * and the import has succeeded, and the notice is sent.
 */
export const finishImport = task<{ idSite: number; idImport: number }>({
  name: 'finishImport',
  async run(app, { idSite, idImport }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const found = await findImport(db, idImport);
    if (!found?.lastImportLog) return;
    const log = found.lastImportLog;
    if (found.parameters.deleteFile && found.importState === 'Completed' && log.errorMessage === null) {
      const files = await openRepository(app, db, null);
      await removeRead(files, log.filename, await fileReadBy(db, idImport)).finally(() => files.close());
    }
    await tell(app, db.site.name, found, log);
  },
});

/** A file that came under the same name meanwhile, for the next import, stays: this job may run hours later again. */
async function removeRead(files: RepositoryFiles, name: string, read: string | null): Promise<void> {
  if (read !== null && fileVersion(await files.stat(name)) === read) await files.remove(name);
}

async function tell(app: App, site: string, found: Import, log: ImportLog): Promise<void> {
  if (!found.parameters.emailNotification) return;
  const { notify } = importSettings(found.parameters);
  if (notify.length === 0) return;
  const hasFailed = found.importState !== 'Completed';
  const subject = hasFailed
    ? `Error concerning the import of the file ${log.filename} (${site})`
    : `Import of the file ${log.filename} (${site})`;
  const lines = [
    `Import ${found.id} of ${log.filename} into ${site}: ${found.importState}.`,
    ...(log.errorMessage ? [log.errorMessage] : []),
    '',
    `Rows read: ${log.totalRows}`,
    `Subscribers changed: ${log.nbUpdates} of ${log.totalUpdates} found`,
    `Subscribers added: ${log.nbInserts}`,
    `Rows refused: ${log.nbErrorRows + log.nbBadFormattedRows}`,
    ...(log.badFormattedRowNumbers
      ? [`  ${log.badFormattedRowNumbers} (see ${log.filename}.errors.csv)`]
      : []),
    `Keys that came twice: ${log.totalDuplicateKeys}`,
    `Additions that were not allowed: ${log.nbForbiddenInserts}`,
    `Started ${log.startDate}, ended ${log.endDate}`,
  ];
  await sendNotice(app, { to: notify, subject, text: `${lines.join('\n')}\n` });
}
