import { FolderError, isDenied } from '../../files/folder-error.ts';
import { isOfDatabase } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { countInTransaction } from '../../platform/event-counts.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { type Patience, retriedTask } from '../../platform/retried-run.ts';
import { addTask, type Task } from '../../platform/tasks.ts';
import type { StoredExport } from '../export.ts';
import { settingsOf } from '../export-settings.ts';
import { type ExportEnd, endExport, noteFailure, postponeExport, startExport } from '../export-store.ts';
import { writeExport } from '../write-export.ts';
import { clearExportDrafts } from './clear-export-drafts.ts';
import { finishExport } from './finish-export.ts';

const patience: Patience = { ms: 6 * 3_600_000, words: '6 hours' };

/** Runs an export: writes the whole file, then the state and the task that announces it. Interrupted, it restarts. */
export const runExport: Task<{ idSite: number; idExport: number }> = retriedTask<
  { idSite: number; idExport: number },
  StoredExport
>({
  name: 'runExport',
  noun: 'export',
  needsPermit: true,
  id: ({ idExport }) => idExport,
  // Under a new number: an earlier run that is still alive cannot end the export.
  begin: (tx, { idExport }, now) => startExport(tx, idExport, now),
  async work(app, db, of, signal) {
    const written = await writeExport(app, db, of, settingsOf(of.request), signal);
    await db.transaction((tx) =>
      end(tx, of, { state: 'COMPLETED', at: app.clock.now(), message: '', ...written }),
    );
  },
  permanentReason: (error) => (isPermanent(error) ? reasonOf(error) : undefined),
  reasonOf,
  // A new attempt clears the message.
  recordedReason: () => undefined,
  about: ({ id, runs }) => ({ idExport: id, run: runs }),
  recordFailure: noteFailure,
  patience: async () => patience,
  async retry(tx, of, at) {
    await postponeExport(tx, of);
    await addRun(tx, of.id, at);
  },
  fail: (_app, tx, of, message, at) =>
    end(tx, of, { state: 'FAILED', at, message, nbLines: null, nbReplaced: null }),
});

/** Adds the task of a run, in the transaction that requires it; due immediately if `runAt` is omitted. */
export async function addRun(tx: SiteDb, idExport: number, runAt?: Date): Promise<void> {
  await addTask(tx, runExport, { idSite: tx.site.id, idExport }, { ...(runAt && { runAt }) });
}

async function end(tx: SiteDb, of: StoredExport, how: ExportEnd): Promise<void> {
  await endExport(tx, of, how);
  await addTask(tx, finishExport, idsOf(tx, of));
  // A completed run has cleared the temporary files itself.
  if (how.state === 'FAILED') await addTask(tx, clearExportDrafts, idsOf(tx, of));
  await countInTransaction(tx, { idSite: tx.site.id, event: `export.${how.state}` });
}

const idsOf = (db: SiteDb, { id }: StoredExport) => ({ idSite: db.site.id, idExport: id });

/** Whether an error is permanent: a missing record, a target without evaluation, a name that cannot be written. */
function isPermanent(error: unknown): boolean {
  if (error instanceof Refusal) return error.status < 500 || error.code === 'too_slow';
  return isDenied(error);
}

/** Returns the user's text for an error. PostgreSQL's own messages go to the log only. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (isOfDatabase(error)) return 'The subscribers could not be read';
  if (error instanceof FolderError) return `The file cannot be written: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  // The message would name an address or a path.
  if (/^(ECONN|EPIPE|ENOENT)/.test(code ?? '')) return `A connection was lost (${code})`;
  return `The file could not be written: ${message}`.slice(0, 500);
}
