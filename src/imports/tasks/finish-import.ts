import { sendSiteNotice } from '../../accounts/site-notice.ts';
import { openRepository } from '../../files/open-repository.ts';
import type { RepositoryFiles } from '../../files/repository.ts';
import type { App } from '../../platform/app.ts';
import type { Site, SiteDb } from '../../platform/db/site-db.ts';
import { addTask, task } from '../../platform/tasks.ts';
import { deliverErrorFile } from '../error-delivery.ts';
import { fileVersion, type Import } from '../import.ts';
import { findLog, type StoredLog, settleErrorFile } from '../import-log-store.ts';
import { joinParts } from '../import-people-store.ts';
import { addressesOf, errorFileName } from '../import-settings.ts';
import { findImport } from '../import-store.ts';

/**
 * What follows the end of a run and can be done twice without harm: the file of rejected rows is put beside the
 * imported one, which is deleted where that was requested and the run has succeeded, and the notice is sent. A job of
 * before logs had a number of their own is of the last one.
 */
export const finishImport = task<{ idSite: number; idImport: number; idLog?: number }>({
  name: 'finishImport',
  async run(app, { idSite, idImport, idLog }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const found = await findImport(db, idImport);
    const log = await findLog(db, idImport, idLog);
    if (!found || !log) return;
    await joinParts(db, { idImport, run: log.run });
    const { id } = log.log;
    // A server that hangs or is unavailable must not keep the notice back: from here on the file has a job of its
    // own.
    const again = await deliverErrorFile(app, db, idImport, id, signal);
    if (again) await addDelivery(db, { idSite, idImport, idLog: id }, again);
    const ended = (await findLog(db, idImport, id))!;
    const isKept = await deleteRead(app, db, found, ended).then(
      () => false,
      async (error: unknown) => {
        // An account that may not delete must not keep the notice back: the file has a job of its own from here on.
        app.log.warn({ err: error, idSite, idImport }, 'the file of an import is not deleted yet');
        const jobKey = `delete imported ${idSite} ${ended.log.id}`;
        await addTask(
          db,
          deleteImported,
          { idSite, idImport, idLog: ended.log.id },
          { runAt: new Date(app.clock.now().getTime() + 60_000), jobKey },
        );
        return true;
      },
    );
    await tell(app, db.site, found, ended, { isKept });
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

/** Puts a run's file of rejected rows beside the imported one that could not be put there when the run had ended. */
export const deliverErrors = task<{ idSite: number; idImport: number; idLog: number }>({
  name: 'deliverErrors',
  async run(app, { idSite, idImport, idLog }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const again = await deliverErrorFile(app, db, idImport, idLog, signal);
    if (again) return addDelivery(db, { idSite, idImport, idLog }, again);
    const [found, ended] = [await findImport(db, idImport), await findLog(db, idImport, idLog)];
    if (!found || !ended) return;
    await deleteRead(app, db, found, ended);
    if (ended.errorsLost !== null) await tell(app, db.site, found, ended, { again: '-errors' });
  },
  /** Ends a task whose process was killed at every attempt. `run` retries all other failures. */
  async gaveUp(app, { idSite, idImport, idLog }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    await settleErrorFile(db, idLog, 'the process that wrote it ended at every attempt');
    await deliverErrors.run(app, { idSite, idImport, idLog }, new AbortController().signal);
  },
});

/** Schedules the delivery of a run's error file, or moves it when it is scheduled already. */
export async function addDelivery(
  db: SiteDb,
  payload: { idSite: number; idImport: number; idLog: number },
  runAt: Date,
): Promise<void> {
  await addTask(db, deliverErrors, payload, { runAt, jobKey: `errors ${payload.idSite} ${payload.idLog}` });
}

async function deleteRead(app: App, db: SiteDb, { parameters }: Import, ended: StoredLog): Promise<void> {
  const { state, log, fileRead } = ended;
  if (!parameters.deleteFile || state !== 'Completed' || log.errorMessage !== null) return;
  const files = await openRepository(app, db, ended.idRepository);
  await removeRead(files, log.filename, fileRead).finally(() => files.close());
}

/** Removes the imported file, unless another was uploaded under its name: this job may run again hours later. */
async function removeRead(files: RepositoryFiles, name: string, read: string | null): Promise<void> {
  if (read !== null && fileVersion(await files.stat(name)) === read) await files.remove(name);
}

async function tell(
  app: App,
  { id: idSite, name: site }: Site,
  found: Import,
  { state, log, missedSince, errorsFile, errorsLost }: StoredLog,
  { isKept = false, again = '' }: { readonly isKept?: boolean; readonly again?: string },
): Promise<void> {
  const to = addressesOf(found.parameters.emailNotification ?? '');
  if (to.length === 0) return;
  const subject =
    state === 'Completed'
      ? `Import of the file ${log.filename} (${site})`
      : `Error concerning the import of the file ${log.filename} (${site})`;
  const isThere = errorsFile === null && errorsLost === null;
  const lines = [
    `Import ${found.id} of ${log.filename} into ${site}: ${state}.`,
    ...(log.errorMessage ? [log.errorMessage] : []),
    '',
    `Rows read: ${log.totalRows}`,
    `Subscribers changed: ${log.nbUpdates} of ${log.totalUpdates} found`,
    `Subscribers added: ${log.nbInserts}`,
    `Rows refused: ${log.nbErrorRows + log.nbBadFormattedRows}`,
    ...(log.badFormattedRowNumbers
      ? [`  ${log.badFormattedRowNumbers}${isThere ? ` (see ${errorFileName(log.filename)})` : ''}`]
      : []),
    `Keys that came twice: ${log.totalDuplicateKeys}`,
    `Additions that were not allowed: ${log.nbForbiddenInserts}`,
    `Started ${log.startDate}, ended ${log.endDate}`,
    ...(errorsFile ? ['Writing the file of rejected rows will be retried'] : []),
    ...(isKept ? ['The file could not be deleted; it will be retried'] : []),
    ...(missedSince
      ? [`Passed over, because nothing ran: the runs from ${missedSince.toISOString()} on`]
      : []),
    ...(found.importState === 'Scheduled' ? [`Next run ${found.schedulingInfos.scheduledDate}`] : []),
  ];
  await sendSiteNotice(app, idSite, {
    to,
    subject,
    text: `${lines.join('\n')}\n`,
    id: `import-${idSite}-${log.id}${again}`,
  });
}
