import { join } from 'node:path';
import { listFields } from '../../fields/field-store.ts';
import { openRepository } from '../../files/open-repository.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { addJob, task } from '../../platform/jobs.ts';
import { ErrorFile } from '../error-file.ts';
import { fileVersion, type Import, type ImportCounters, type ImportLog, noCounters } from '../import.ts';
import { ImportCannotStart } from '../import-plan.ts';
import { type ImportSettings, importSettings } from '../import-settings.ts';
import { endImport, findImport, setProgression, startImport } from '../import-store.ts';
import { isWorthRetrying, lockOutWriters, mergeStage, progressAt } from '../merge-stage.ts';
import { type Staging, stageFile } from '../stage-file.ts';
import { finishImport } from './finish-import.ts';

/** Tries; the last one keeps other writers out, so that a busy site cannot starve its imports. */
const maxAttempts = 4;
/** The table is written to at most this often while the file is read. */
const progressEveryMs = 500;

/**
 * Runs one import: the file is checked and copied to a staging table, then merged in one transaction that also writes
 * the log and the state. A run that is cut off at any point leaves the subscribers untouched and starts over.
 */
export const runImport = task<{ idSite: number; idImport: number }>({
  name: 'runImport',
  async run(app, { idSite, idImport }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    await alone(db, idImport, async () => {
      if (!(await startImport(db, idImport))) return;
      const found = await findImport(db, idImport);
      if (found) await new Run(app, db, found, signal).whole();
    });
  },
});

/**
 * Holds the import while `work` runs. The lock ends with its connection, so a killed run frees it; one that is still
 * being cleared away makes this throw, and the job is tried again later.
 */
async function alone(db: SiteDb, idImport: number, work: () => Promise<void>): Promise<void> {
  const name = `import ${db.site.schema} ${idImport}`;
  await db.withClient(async (client) => {
    const lock = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
    if (!lock.rows[0].held) throw new Error(`Import ${idImport} is running already`);
    try {
      await work();
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    }
  });
}

class Run {
  readonly #app: App;
  readonly #db: SiteDb;
  readonly #import: Import;
  readonly #signal: AbortSignal;
  readonly #at: Date;
  #toldAt = 0;
  /** The backend that merges just now. */
  #merging: number | undefined;
  #fileRead: string | null = null;

  constructor(app: App, db: SiteDb, of: Import, signal: AbortSignal) {
    this.#app = app;
    this.#db = db;
    this.#import = of;
    this.#signal = signal;
    this.#at = app.clock.now();
  }

  async whole(): Promise<void> {
    try {
      const settings = importSettings(this.#import.parameters);
      for (let attempt = 1; !(await this.#once(settings, attempt)); attempt++);
    } catch (error) {
      const reason = whyNever(error);
      if (reason === undefined) throw error;
      await this.#db.transaction((tx) => this.#end(tx, 'PackageErrorCreation', noCounters(), '', reason));
    }
  }

  /** One reading and merging; false when it must be done again because somebody else wrote the same meanwhile. */
  async #once(settings: ImportSettings, attempt: number): Promise<boolean> {
    const files = await openRepository(this.#app, this.#db, null);
    const path = join(this.#app.config.dataDir, 'tmp', `import-${this.#db.site.id}-${this.#import.id}.csv`);
    const errors = new ErrorFile(path, settings.csv);
    try {
      const staging: Staging = {
        settings,
        fields: new Map((await listFields(this.#db)).map((field) => [field.id, field])),
        files,
        stage: this.#stage,
        errors,
        at: this.#at,
        signal: this.#signal,
        progress: (share) => this.#tell(Math.round(share * progressAt.read)),
      };
      this.#fileRead = fileVersion(await files.stat(settings.filename).catch(() => undefined));
      await this.#stageAndMerge(staging, attempt === maxAttempts);
      return true;
    } catch (error) {
      if (isWorthRetrying(error) && attempt < maxAttempts) return false;
      throw error;
    } finally {
      this.#merging = undefined;
      await errors.drop();
      await files.close();
    }
  }

  get #stage() {
    return this.#db.name(`import_${this.#import.id}_stage`);
  }

  async #stageAndMerge(staging: Staging, isLast: boolean): Promise<void> {
    const { plan, counters } = await stageFile(this.#db, staging);
    await this.#db.transaction(async (tx) => {
      await this.#cancelWhenAborted(tx);
      if (isLast) await lockOutWriters(tx);
      const done = await mergeStage(tx, staging, plan, counters, (percent) => this.#mention(percent));
      const isHeld = staging.settings.safeMode && done.nbErrorRows + done.nbBadFormattedRows > 0;
      await this.#end(tx, 'Completed', done, staging.errors.numbers, isHeld ? safeModeMessage : null);
    });
  }

  /** A merge can last a minute: when the program is to end, it is broken off and starts over with the next one. */
  async #cancelWhenAborted(tx: SiteDb): Promise<void> {
    this.#signal.throwIfAborted();
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    this.#merging = pid;
    const cancel = () => {
      if (this.#merging !== pid) return;
      this.#db.run(sql`select pg_cancel_backend(${pid})`).catch(() => undefined);
    };
    this.#signal.addEventListener('abort', cancel, { once: true });
  }

  /** Writes the end and the job that follows it; the staging table goes in the same transaction. */
  async #end(
    tx: SiteDb,
    state: 'Completed' | 'PackageErrorCreation',
    counters: ImportCounters,
    badFormattedRowNumbers: string,
    errorMessage: string | null,
  ): Promise<void> {
    const log: ImportLog = {
      id: this.#import.id,
      filename: this.#import.parameters.filename,
      startDate: this.#at.toISOString(),
      endDate: this.#app.clock.now().toISOString(),
      errorMessage,
      badFormattedRowNumbers,
      ...counters,
    };
    await endImport(tx, this.#import.id, state, log, this.#fileRead);
    await addJob(tx, finishImport, { idSite: tx.site.id, idImport: this.#import.id });
    await tx.run(sql`drop table if exists ${this.#stage}`);
  }

  async #tell(percent: number): Promise<void> {
    const now = performance.now();
    if (now - this.#toldAt < progressEveryMs) return;
    this.#toldAt = now;
    await this.#write(percent);
  }

  /**
   * Tells it while a transaction is open, not waiting: all other connections may be taken by callers who wait for
   * that very transaction.
   */
  #mention(percent: number): void {
    this.#write(percent).catch((error: unknown) => this.#app.log.debug({ err: error }, 'progress not told'));
  }

  /** Outside the merge's transaction, so that it can be seen at once. */
  async #write(percent: number): Promise<void> {
    await setProgression(this.#db, this.#import.id, percent);
  }
}

/** Why an import can never succeed as it is; undefined for what may be over at the next try. */
function whyNever(error: unknown): string | undefined {
  if (error instanceof ImportCannotStart) return error.message;
  // Parameters were checked when the import was made; the rules may have become stricter since.
  if (error instanceof Refusal && error.status === 400) return error.message;
  // Classes 22 and 23 of PostgreSQL: values that the table does not take, which our checks have let through.
  const { code = '' } = error as { code?: string };
  return /^2[23]/.test(code) ? `The rows could not be merged: ${(error as Error).message}` : undefined;
}

const safeModeMessage = 'Safe mode: some rows cannot be imported, so nothing was changed';
