import { FolderError } from '../../files/folder-error.ts';
import type { App } from '../../platform/app.ts';
import { isOfDatabase } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { countInTransaction } from '../../platform/event-counts.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { addJob, task } from '../../platform/jobs.ts';
import { withTaskPermit } from '../../platform/task-permits.ts';
import type { StoredExport } from '../export.ts';
import { settingsOf } from '../export-settings.ts';
import { type ExportEnd, endExport, postponeExport, startExport } from '../export-store.ts';
import { writeExport } from '../write-export.ts';
import { clearExportDrafts } from './clear-export-drafts.ts';
import { finishExport } from './finish-export.ts';

/** An export that has failed for so long, by whatever need not last, fails permanently. */
const giveUpAfterMs = 6 * 3_600_000;
const firstPauseMs = 10_000;
const longestPauseMs = 10 * 60_000;

/**
 * Runs one export: the file is written whole or not at all, then the state, with the job that tells of it. A run that
 * is cut off at any point is done over by the next one.
 */
export const runExport = task<{ idSite: number; idExport: number }>({
  name: 'runExport',
  maxAttempts: 12,
  async run(app, { idSite, idExport }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const payload = { idSite, idExport };
    const job = { task: runExport, payload, name: `export ${idExport}`, lane: 'exports' };
    await withTaskPermit(db, job, async () => {
      const started = await startExport(db, idExport, app.clock.now());
      if (started) await runOnce(app, db, started, signal);
    });
  },
  /**
   * Ends an export whose process was killed at every attempt, or whose failure could not be recorded. `runOnce`
   * retries all other failures.
   */
  async gaveUp(app, { idSite, idExport }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const at = app.clock.now();
    // Under a new number, so that no run that still lives can end it as well.
    const left = await startExport(db, idExport, at);
    const message = `The export was cut off ${runExport.maxAttempts} times and is given up`;
    if (left) await end(db, left, { state: 'FAILED', at, message, nbLines: null, nbReplaced: null });
  },
});

/** Adds the job of a run, in the transaction that makes it needed; at once unless a time is given. */
export async function addRun(tx: SiteDb, idExport: number, runAt?: Date): Promise<void> {
  await addJob(tx, runExport, { idSite: tx.site.id, idExport }, { ...(runAt && { runAt }) });
}

async function runOnce(app: App, db: SiteDb, of: StoredExport, signal: AbortSignal): Promise<void> {
  try {
    const written = await writeExport(app, db, of, settingsOf(of.request), signal);
    await end(db, of, { state: 'COMPLETED', at: app.clock.now(), message: '', ...written });
  } catch (error) {
    if (signal.aborted) throw error;
    const at = app.clock.now();
    const message = reasonOf(error);
    const failingFor = at.getTime() - (of.failingSince ?? at).getTime();
    app.log.warn({ err: error, site: db.site.name, idExport: of.id, run: of.runs }, 'export failed');
    if (isFinal(error) || failingFor >= giveUpAfterMs) {
      await end(db, of, { state: 'FAILED', at, message, nbLines: null, nbReplaced: null });
      return;
    }
    await db.transaction(async (tx) => {
      await postponeExport(tx, of, message, at);
      await addRun(tx, of.id, new Date(at.getTime() + pauseAfter(of.runs)));
    });
  }
}

async function end(db: SiteDb, of: StoredExport, how: ExportEnd): Promise<void> {
  await db.transaction(async (tx) => {
    await endExport(tx, of, how);
    await addJob(tx, finishExport, idsOf(db, of));
    // One that has its file was cleared by its last run.
    if (how.state === 'FAILED') await addJob(tx, clearExportDrafts, idsOf(db, of));
    await countInTransaction(tx, { idSite: db.site.id, event: `export.${how.state}` });
  });
}

const idsOf = (db: SiteDb, { id }: StoredExport) => ({ idSite: db.site.id, idExport: id });

/** 10 s, doubling to 10 minutes. */
function pauseAfter(runs: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(runs - 1, 20), longestPauseMs);
}

/**
 * Whether an error is final: a missing record, a target that cannot be evaluated, a name that cannot be written. Any
 * other error may pass until the next run.
 */
function isFinal(error: unknown): boolean {
  if (error instanceof Refusal) return error.status < 500 || error.code === 'too_slow';
  if (error instanceof FolderError) return !/^(ENOSPC|EDQUOT|EIO|EMFILE|ENFILE)$/.test(error.message);
  // SFTP's own “permission denied”.
  return (error as { code?: unknown }).code === 3;
}

/** In words for the user: what PostgreSQL says is for the log alone. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (isOfDatabase(error)) return 'The subscribers could not be read';
  if (error instanceof FolderError) return `The file cannot be written: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  // Of whichever socket: the text would say an address or a path.
  if (/^(ECONN|EPIPE|ENOENT)/.test(code ?? '')) return `A connection was lost (${code})`;
  return `The file could not be written: ${message}`.slice(0, 500);
}
