import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { pino } from 'pino';
import { findCaller } from '../accounts/caller-store.ts';
import type { App } from '../platform/app.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { makeServer } from '../platform/http/server.ts';
import { FixedClock } from './fixed-clock.ts';
import { serving } from './listening.ts';
import { makeApp } from './make-app.ts';
import { peakMegabytes, processSecret } from './programs.ts';

/** A call of an operation of targets: method, address, body. */
export type TargetCall = readonly ['GET' | 'POST' | 'PUT', string, object?];

/** Responses to calls. */
export type TargetAnswers = readonly { readonly status: number; readonly error: string | null }[];

/** One piece of the program's work on the site `demo`. */
export type Work =
  /** Imports one after the other, each with its error file. */
  | { readonly imports: readonly number[] }
  /** The queue of jobs with the tasks of imports. */
  | { readonly importQueue: true }
  /** An export; with `notifies` the notice of its end as well. */
  | { readonly export: number; readonly notifies?: boolean }
  /** Folds without end; prints a line for each fold that found something. */
  | { readonly fold: true }
  /** The tracking role; prints its port as a line when it listens. */
  | { readonly track: true }
  /** Calls one after the other, each repeated while its file is being loaded, with the header of their caller. */
  | { readonly calls: readonly TargetCall[]; readonly token: string }
  /** The task that tidies files of filters. */
  | { readonly tidy: true }
  /** Creates the sample data of the site, or removes it. */
  | { readonly sampleData: 'create' | 'remove' }
  /** The work of `facteur postcodes load`. */
  | { readonly postcodes: string };

/** Options of the process, as JSON in its one argument; see `startWork`. */
export interface WorkOptions {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  readonly work: Work;
  /** Settings as in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The secret of the installation in hex; omitted: `processSecret`. */
  readonly secret?: string;
  /** The time of a stopped clock; omitted: the clock runs. */
  readonly now?: string;
}

/** The costs of work that ends, and its responses. */
export interface WorkResult {
  readonly seconds: number;
  /** The most memory that the process has had resident, in megabytes; proc(5) gives it in kB, macOS does not. */
  readonly peakMb: number;
  readonly longestBlockMs: number;
  readonly answers?: TargetAnswers;
}

const { signal } = new AbortController();

/** The parts of the program are read when they are needed: memory and the time of the start are measured. */
async function perform(app: App, db: SiteDb, work: Work): Promise<TargetAnswers | undefined | 'goes on'> {
  if ('imports' in work) await runImports(app, db, work.imports);
  else if ('export' in work) await exportRows(app, db, work);
  else if ('calls' in work) return callAll(app, work);
  else if ('tidy' in work) {
    const { tidyFilterFiles } = await import('../targets/tidy-filter-files.ts');
    await tidyFilterFiles.run(app, { idSite: db.site.id }, signal);
  } else if ('sampleData' in work) await changeSampleData(app, db, work.sampleData);
  else if ('postcodes' in work) {
    const { loadPostcodeFile } = await import('../targets/places/postcode-file.ts');
    await loadPostcodeFile(app.control, work.postcodes, app.clock.now());
  } else {
    if ('importQueue' in work) await startQueue(app);
    else if ('track' in work) await track(app);
    else await fold(db);
    return 'goes on';
  }
  return undefined;
}

async function runImports(app: App, db: SiteDb, ids: readonly number[]): Promise<void> {
  const { runImport } = await import('../imports/tasks/run-import.ts');
  const { deliverErrorFile } = await import('../imports/error-delivery.ts');
  const { findLog } = await import('../imports/import-log-store.ts');
  for (const idImport of ids) {
    await runImport.run(app, { idSite: db.site.id, idImport }, signal);
    const log = await findLog(db, idImport);
    // As the job that follows the run does.
    if (log) await deliverErrorFile(app, db, idImport, log.log.id, signal);
  }
}

async function startQueue(app: App): Promise<void> {
  const { deliverErrors, finishImport } = await import('../imports/tasks/finish-import.ts');
  const { runImport } = await import('../imports/tasks/run-import.ts');
  const { startTaskRunner } = await import('../platform/task-runner.ts');
  const { startWaitingTasks } = await import('../platform/task-permits.ts');
  await startTaskRunner(app, [runImport, finishImport, deliverErrors, startWaitingTasks]);
}

async function exportRows(app: App, db: SiteDb, work: { export: number; notifies?: boolean }): Promise<void> {
  const payload = { idSite: db.site.id, idExport: work.export };
  const { runExport } = await import('../exports/tasks/run-export.ts');
  await runExport.run(app, payload, signal);
  if (!work.notifies) return;
  const { finishExport } = await import('../exports/tasks/finish-export.ts');
  await finishExport.run(app, payload, signal);
}

async function fold(db: SiteDb): Promise<never> {
  const { foldActivity } = await import('../activity/fold-store.ts');
  for (;;) {
    const { hits, receipts } = await foldActivity(db);
    if (hits + receipts > 0) process.stdout.write(`${hits} ${receipts}\n`);
  }
}

async function changeSampleData(app: App, db: SiteDb, change: 'create' | 'remove'): Promise<void> {
  const { sampleTexts } = await import('../campaigns/sample-data.ts');
  const { createSampleData, removeSampleData } = await import('../campaigns/sample-data-store.ts');
  const now = app.clock.now();
  const author = { idUser: 1, userName: 'Ada' };
  if (change === 'create') await createSampleData(db, sampleTexts.en, author, now);
  else await removeSampleData(db, now);
}

async function track(app: App): Promise<void> {
  const { trackingHandler } = await import('../tracking/tracking-handler.ts');
  const { port } = await serving(trackingHandler(app));
  process.stdout.write(`${port}\n`);
}

async function callAll(
  app: App,
  { calls, token }: { calls: readonly TargetCall[]; token: string },
): Promise<TargetAnswers> {
  const { targetsOperations } = await import('../targets/operations.ts');
  const server = makeServer({
    app,
    operations: targetsOperations,
    findCaller: (text, siteName) => findCaller(app.control, text, siteName, app.clock.now()),
    checkReplies: true,
  });
  const answers: TargetAnswers[number][] = [];
  for (const [method, url, body] of calls) {
    const once = () =>
      server.inject({ method, url, headers: { authorization: token }, ...(body && { payload: body }) });
    let answer = await once();
    while (answer.headers['x-error-code'] === 'loading') answer = await once();
    answers.push({ status: answer.statusCode, error: answer.json<{ error: string | null }>().error });
  }
  await server.close();
  return answers;
}

async function run({ connection, dataDir, work, settings, secret, now }: WorkOptions): Promise<void> {
  const control = openDatabase(connection, () => undefined);
  const app = makeApp(control, {
    settings: { ...settings, FACTEUR_DATA_DIR: dataDir },
    log: pino({ level: 'fatal' }, pino.destination(2)),
    secret: secret === undefined ? processSecret : Buffer.from(secret, 'hex'),
    ...(now !== undefined && { clock: new FixedClock(now) }),
  });
  const db = (await app.site('demo'))!;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const answers = await perform(app, db, work);
  if (answers === 'goes on') return;
  const result: WorkResult = {
    seconds: (performance.now() - started) / 1_000,
    peakMb: peakMegabytes('self'),
    longestBlockMs: delay.max / 1e6,
    ...(answers && { answers }),
  };
  process.stdout.write(JSON.stringify(result));
  await control.pool.end();
}

await run(JSON.parse(process.argv[2] ?? '') as WorkOptions);
