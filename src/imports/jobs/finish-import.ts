import { openRepository } from '../../files/open-repository.ts';
import type { RepositoryFiles } from '../../files/repository.ts';
import type { App } from '../../platform/app.ts';
import type { Site, SiteDb } from '../../platform/db/site-db.ts';
import { addJob, task } from '../../platform/jobs.ts';
import { sendNotice } from '../../platform/notice.ts';
import { fileVersion, type Import } from '../import.ts';
import { findLog, type StoredLog } from '../import-log-store.ts';
import { addressesOf } from '../import-settings.ts';
import { findImport } from '../import-store.ts';

/**
 * What follows the end of a run and can be done twice without harm: the file is deleted where that was asked for
 * and the run has succeeded, and the notice is sent. A job of before logs had a number of their own is of the last one.
 */
export const finishImport = task<{ idSite: number; idImport: number; idLog?: number }>({
  name: 'finishImport',
  async run(app, { idSite, idImport, idLog }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const found = await findImport(db, idImport);
    const ended = await findLog(db, idImport, idLog);
    if (!found || !ended) return;
    const isKept = await deleteRead(app, db, found, ended).then(
      () => false,
      async (error: unknown) => {
        // An account that may not delete must not keep the notice back: the file has a job of its own from here on.
        app.log.warn({ err: error, idSite, idImport }, 'the file of an import is not deleted yet');
        const jobKey = `delete imported ${idSite} ${ended.log.id}`;
        await addJob(
          db,
          deleteImported,
          { idSite, idImport, idLog: ended.log.id },
          { runAt: retryAt(app), jobKey },
        );
        return true;
      },
    );
    await tell(app, db.site, found, ended, isKept);
  },
});

/** Deletes the file of a run whose deletion failed when the run had ended. */
export const deleteImported = task<{ idSite: number; idImport: number; idLog: number }>({
  name: 'deleteImported',
  async run(app, { idSite, idImport, idLog }) {
    const db = await app.siteById(idSite);
    const found = db && (await findImport(db, idImport));
    const ended = db && (await findLog(db, idImport, idLog));
    if (found && ended) await deleteRead(app, db, found, ended);
  },
});

const retryAt = (app: App): Date => new Date(app.clock.now().getTime() + 60_000);

async function deleteRead(app: App, db: SiteDb, { parameters }: Import, ended: StoredLog): Promise<void> {
  const { state, log, fileRead } = ended;
  if (!parameters.deleteFile || state !== 'Completed' || log.errorMessage !== null) return;
  const files = await openRepository(app, db, null);
  await removeRead(files, log.filename, fileRead).finally(() => files.close());
}

/** A file that came under the same name meanwhile, for the next import, stays: this job may run hours later again. */
async function removeRead(files: RepositoryFiles, name: string, read: string | null): Promise<void> {
  if (read !== null && fileVersion(await files.stat(name)) === read) await files.remove(name);
}

async function tell(
  app: App,
  { id: idSite, name: site }: Site,
  found: Import,
  { state, log, missedSince }: StoredLog,
  isKept: boolean,
): Promise<void> {
  const to = addressesOf(found.parameters.emailNotification ?? '');
  if (to.length === 0) return;
  const subject =
    state === 'Completed'
      ? `Import of the file ${log.filename} (${site})`
      : `Error concerning the import of the file ${log.filename} (${site})`;
  const lines = [
    `Import ${found.id} of ${log.filename} into ${site}: ${state}.`,
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
    ...(isKept ? ['The file could not be deleted; it is tried again'] : []),
    ...(missedSince
      ? [`Passed over, because nothing ran: the runs from ${missedSince.toISOString()} on`]
      : []),
    ...(found.importState === 'Scheduled' ? [`Next run ${found.schedulingInfos.scheduledDate}`] : []),
  ];
  await sendNotice(app, { to, subject, text: `${lines.join('\n')}\n`, id: `import-${idSite}-${log.id}` });
}
