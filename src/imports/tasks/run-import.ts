import { join } from 'node:path';
import { listFields } from '../../fields/field-store.ts';
import { embeddedRepository, type RepositoryFiles } from '../../files/repository.ts';
import { defaultRepository } from '../../files/repository-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { countInTransaction } from '../../platform/event-counts.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { retriedTask, Superseded } from '../../platform/retried-run.ts';
import { addTask, type Task } from '../../platform/tasks.ts';
import { ErrorFile } from '../error-file.ts';
import { Heartbeat } from '../heartbeat.ts';
import { fileVersion, type ImportCounters, noCounters, safeModeMessage } from '../import.ts';
import { filenameOf } from '../import-schedule.ts';
import { type ImportSettings, importSettings } from '../import-settings.ts';
import {
  type Attempt,
  beginAttempt,
  endRun,
  lockAttempt,
  noteTrouble,
  type StoredImport,
} from '../import-store.ts';
import { clearLeftovers, errorsFileOf, errorsFolder, stageOf } from '../leftovers.ts';
import { isWorthRetrying, progressAt } from '../merge-stage.ts';
import { endMerge, findMerge, type MergeProgress } from '../merge-state-store.ts';
import { Merger } from '../merger.ts';
import { RefusedCells } from '../refused-cells.ts';
import { patienceFor, permanentReason, reasonOf, whyInLog } from '../run-failure.ts';
import { CopyRefused, type Staging, stageFile } from '../stage-file.ts';
import { withRepository } from '../with-repository.ts';
import { finishImport } from './finish-import.ts';

/** Tries of a merge before the last one, which keeps other writers out: a busy site cannot starve its imports. */
const maxMerges = 4;

/** Tasks from before runs had numbers belong to the first run. */
type RunOfImport = { idSite: number; idImport: number; run?: number };

/**
 * Runs an import once: stages the checked file, then merges it with the log and the next run. If it is interrupted,
 * it restarts.
 */
export const runImport: Task<RunOfImport> = retriedTask<RunOfImport, Begun>({
  name: 'runImport',
  noun: 'import',
  needsPermit: true,
  id: ({ idImport }) => idImport,
  begin: (tx, { idImport, run = 1 }, now) => beginAttempt(tx, idImport, run, now),
  work: (app, db, begun, signal) => new Run(app, db, begun, signal).whole(),
  permanentReason,
  reasonOf,
  about: ({ of }) => ({ idImport: of.id, run: of.run }),
  inLog: whyInLog,
  recordedReason: ({ of }) => of.trouble ?? undefined,
  recordFailure: (tx, { attempt }, reason, now) => noteTrouble(tx, attempt, reason, now),
  patience: async (tx, { of }) => patienceFor((await findMerge(tx))?.idImport === of.id),
  retry: (tx, { of }, at) => planRun(tx, of.id, of.run, at),
  fail: (app, tx, begun, reason) =>
    end(app, tx, begun, { state: 'PackageErrorCreation', errorMessage: reason }),
});

/** Adds the task of a run, in the transaction that schedules it. */
export async function planRun(tx: SiteDb, idImport: number, run: number, at: Date): Promise<void> {
  await addTask(tx, runImport, { idSite: tx.site.id, idImport, run }, { runAt: at });
}

interface Begun {
  readonly attempt: Attempt;
  readonly of: StoredImport;
}

interface End {
  readonly state: 'Completed' | 'PackageErrorCreation';
  readonly errorMessage: string | null;
  readonly counters?: ImportCounters;
  readonly badFormattedRowNumbers?: string;
  readonly fileRead?: string | null;
  readonly idRepository?: number;
  readonly errorsFile?: string | null;
}

/** Writes the end of a run with what follows it: the notice, and the next run of a recurring import. */
async function end(app: App, tx: SiteDb, { attempt, of }: Begun, ended: End): Promise<void> {
  const now = app.clock.now();
  await lockAttempt(tx, attempt);
  const merged = await endMerge(tx, of.id);
  const log = {
    filename: filenameOf(of.parameters.filename, of.scheduling, of.scheduledAt),
    startDate: of.startedAt!.toISOString(),
    endDate: now.toISOString(),
    errorMessage:
      merged && ended.errorMessage ? `${ended.errorMessage}. ${partOf(merged)}` : ended.errorMessage,
    badFormattedRowNumbers: ended.badFormattedRowNumbers ?? '',
    ...(ended.counters ?? { ...noCounters(), ...countsOf(merged) }),
  };
  const { state, fileRead = null, idRepository = null, errorsFile = null } = ended;
  const { idLog, next } = await endRun(tx, attempt, { state, log, fileRead, idRepository, errorsFile }, now);
  await addTask(tx, finishImport, { idSite: tx.site.id, idImport: of.id, idLog });
  if (next) await planRun(tx, of.id, next.run, next.at);
  await tx.run(sql`drop table if exists ${stageOf(tx, attempt)}`);
  await countInTransaction(tx, { idSite: tx.site.id, event: `import.${state}` });
}

/** The counters of a run that was given up in its steps: those of the rows that it has written. */
function countsOf(merged: MergeProgress | undefined) {
  const { nbUpdates = 0, nbInserts = 0, nbUnchanged = 0 } = merged ?? {};
  return { totalUpdates: nbUpdates + nbUnchanged, nbUpdates, totalInserts: nbInserts, nbInserts };
}

const partOf = ({ mergedTo, nbUpdates, nbInserts }: MergeProgress) =>
  `The rows up to number ${mergedTo} are imported: ${nbInserts} subscribers were added and ${nbUpdates} changed`;

class Run {
  readonly #app: App;
  readonly #db: SiteDb;
  readonly #begun: Begun;
  readonly #at: Date;
  readonly #stage: Sql;
  readonly #heartbeat: Heartbeat;
  readonly #signal: AbortSignal;
  #idRepository = embeddedRepository;
  #isCareful = false;

  constructor(app: App, db: SiteDb, begun: Begun, signal: AbortSignal) {
    this.#app = app;
    this.#db = db;
    this.#begun = begun;
    this.#at = begun.of.startedAt!;
    this.#stage = stageOf(db, begun.attempt);
    this.#heartbeat = new Heartbeat(db, begun.attempt, app.log);
    this.#signal = AbortSignal.any([signal, this.#heartbeat.signal]);
  }

  async whole(): Promise<void> {
    this.#app.log.info(this.#about, 'import started');
    try {
      await clearLeftovers(this.#db, this.#app.config.dataDir);
      await this.#work();
    } catch (error) {
      await this.#db.run(sql`drop table if exists ${this.#stage}`).catch(() => undefined);
      if (this.#heartbeat.signal.aborted) throw new Superseded('The attempt is superseded', { cause: error });
      throw error;
    } finally {
      await this.#heartbeat.stop();
    }
  }

  get #about(): { site: string; idImport: number; run: number } {
    const { id, run } = this.#begun.of;
    return { site: this.#db.site.name, idImport: id, run };
  }

  async #work(): Promise<void> {
    const { parameters, scheduling, scheduledAt } = this.#begun.of;
    const filename = filenameOf(parameters.filename, scheduling, scheduledAt);
    const settings = importSettings({ ...parameters, filename });
    for (let merge = 1; !(await this.#once(settings, merge)); merge++);
  }

  /** One reading and merging; false when it must be repeated because another caller wrote the same. */
  async #once(settings: ImportSettings, merge: number): Promise<boolean> {
    const { dataDir } = this.#app.config;
    const tmpDir = join(dataDir, 'tmp');
    const errorsPath = join(errorsFolder(dataDir, this.#db), errorsFileOf(this.#begun.attempt));
    const errors = new ErrorFile(errorsPath, settings.table.csv);
    const refused = new RefusedCells(tmpDir);
    try {
      this.#idRepository = await defaultRepository(this.#db);
      const fields = new Map((await listFields(this.#db)).map((field) => [field.id, field]));
      await this.#withFiles(async (files) => {
        const staging = {
          settings,
          fields,
          files,
          stage: this.#stage,
          errors,
          refused,
          fileRead: fileVersion(await files.stat(settings.filename).catch(undefinedUnlessAway)),
          tmpDir,
          at: this.#at,
          signal: this.#signal,
          isCareful: this.#isCareful,
          progress: async (share: number) => this.#heartbeat.note(Math.round(share * progressAt.read)),
        };
        await this.#stageAndMerge(staging, merge >= maxMerges);
      });
      return true;
    } catch (error) {
      if (error instanceof CopyRefused) {
        this.#app.log.warn({ err: error.cause, idImport: this.#begun.of.id }, 'rows that no check has found');
        this.#isCareful = true;
        return false;
      }
      if (isWorthRetrying(error) && merge < maxMerges && !this.#signal.aborted) return false;
      throw error;
    } finally {
      await errors.drop();
      await refused.close();
    }
  }

  async #withFiles(work: (files: RepositoryFiles) => Promise<void>): Promise<void> {
    const of = { idRepository: this.#idRepository, signal: this.#signal };
    await withRepository(this.#app, this.#db, of, work);
  }

  async #stageAndMerge(staging: FileStaging, isLast: boolean): Promise<void> {
    const staged = await stageFile(this.#db, staging);
    this.#heartbeat.tell(progressAt.read);
    let done: Done | undefined;
    await new Merger({
      app: this.#app,
      db: this.#db,
      attempt: this.#begun.attempt,
      staging,
      staged,
      isLast,
      signal: this.#signal,
      tell: (percent) => this.#heartbeat.tell(percent),
      withFiles: (work) => this.#withFiles(work),
      end: async (tx, counters, isHeldBySafeMode) => {
        done = { ...counters, isHeldBySafeMode };
        await this.#completed(tx, staging, done);
      },
    }).whole();
    this.#app.log.info({ ...this.#about, ...done }, 'import finished');
  }

  async #completed(tx: SiteDb, staging: FileStaging, { isHeldBySafeMode, ...counters }: Done): Promise<void> {
    const isKept = await staging.errors.keep();
    await end(this.#app, tx, this.#begun, {
      state: 'Completed',
      errorMessage: isHeldBySafeMode ? safeModeMessage : null,
      counters,
      badFormattedRowNumbers: staging.errors.numbers,
      fileRead: staging.fileRead,
      idRepository: this.#idRepository,
      errorsFile: isKept ? errorsFileOf(this.#begun.attempt) : null,
    });
  }
}

type FileStaging = Staging & { readonly errors: ErrorFile };

type Done = ImportCounters & { readonly isHeldBySafeMode: boolean };

/** Ignores an unreadable file, which its reader reports. @throws 503 unchanged, so that the run is retried */
function undefinedUnlessAway(error: unknown): undefined {
  if (error instanceof Refusal && error.status === 503) throw error;
}
