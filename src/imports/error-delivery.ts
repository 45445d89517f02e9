import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderError, isDenied } from '../files/folder-error.ts';
import { directoryOf } from '../files/local-repository.ts';
import type { App } from '../platform/app.ts';
import { whileHeld } from '../platform/db/held-lock.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { retryAt } from '../platform/retried-run.ts';
import { findLog, isErrorFileOutdated, type StoredLog, settleErrorFile } from './import-log-store.ts';
import { errorFileName } from './import-settings.ts';
import { errorsFolder } from './leftovers.ts';
import { patienceFor, reasonOf } from './run-failure.ts';
import { withRepository } from './with-repository.ts';

/** The file of rejected rows cannot be written, however often it is attempted. */
class NotDeliverable extends Error {}

/**
 * Writes a run's file of rejected rows beside the imported file, unless that is settled, and notes its delivery, or why
 * it is given up. Safe to kill at any point and to repeat: the file is written whole, over itself.
 * @returns when to retry; undefined when it is settled
 * @throws Error if another process is delivering it, or `signal` aborted it
 */
export async function deliverErrorFile(
  app: App,
  db: SiteDb,
  idImport: number,
  idLog: number,
  signal: AbortSignal,
): Promise<Date | undefined> {
  let again: Date | undefined;
  await whileHeld(db, `error file ${idLog}`, async () => {
    const of = await findLog(db, idImport, idLog);
    if (!of?.errorsFile) return;
    const path = join(errorsFolder(app.config.dataDir, db), of.errorsFile);
    try {
      await write(app, db, of, path, signal);
      await settleErrorFile(db, idLog, null);
    } catch (error) {
      // The program ends: it is done again by the next one.
      if (signal.aborted) throw error;
      app.log.warn({ err: error, idImport, site: db.site.name }, 'a file of rejected rows is not delivered');
      const now = app.clock.now();
      again = whyLost(error) === undefined ? retryAt(of.endedAt, now, patienceFor(false).ms) : undefined;
      if (again) return;
      await settleErrorFile(db, idLog, whyLost(error) ?? reasonOf(error));
    }
    // Anyone who dies here leaves a file that nothing refers to: leftovers.ts finds it.
    await rm(path, { force: true });
  });
  return again;
}

async function write(app: App, db: SiteDb, of: StoredLog, path: string, signal: AbortSignal): Promise<void> {
  if (await isErrorFileOutdated(db, of))
    throw new NotDeliverable('a later import of this file has rejected rows too, and its own file counts');
  const source = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new NotDeliverable('it no longer exists on the disk of the service');
    throw error;
  });
  try {
    await withRepository(app, db, { idRepository: of.idRepository, signal }, async (files) => {
      const name = errorFileName(of.log.filename);
      // Always the same one, so that what a killed delivery left is found.
      const draft = `${directoryOf(name)}.errors-${of.log.id}.tmp`;
      await files.remove(draft);
      await files.write(name, source.createReadStream({ autoClose: false }), draft);
    });
  } finally {
    await source.close();
  }
}

/** Returns why it can never be written, for the user; undefined if the next attempt may succeed. */
function whyLost(error: unknown): string | undefined {
  if (error instanceof NotDeliverable) return error.message;
  // A full quota, a repository that no longer exists, a name that it does not take.
  if (error instanceof Refusal) return error.status < 500 ? error.message : undefined;
  if (!isDenied(error)) return undefined;
  return error instanceof FolderError ? error.message : 'the SFTP server does not permit it';
}
