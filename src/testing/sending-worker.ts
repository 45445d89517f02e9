/**
 * A sending engine as a process of its own, for tests that kill it and for benchmarks. Its settings are the one
 * argument, as JSON. It says `ready` when it has begun, and ends gracefully at SIGTERM.
 */
import type pg from 'pg';
import { pino } from 'pino';
import { markRefused } from '../activity/mark-refused.ts';
import { checkInstallation, markSending } from '../installation/check-installation.ts';
import { openDatabase } from '../platform/db/database.ts';
import { keepHeapSmall } from '../platform/heap.ts';
import { startTaskRunner } from '../platform/task-runner.ts';
import { type EngineOptions, SendingEngine } from '../sending/engine/engine.ts';
import { findLostGenerations, generateJob } from '../sending/tasks/generate-job.ts';
import { notifyDelivery } from '../sending/tasks/notify-delivery.ts';
import { makeApp } from './make-app.ts';

/** Options of the process. */
export interface WorkerSettings extends EngineOptions {
  readonly connection: pg.PoolConfig;
  /** Hex. */
  readonly secret: string;
  /** The name of the process in EHLO. */
  readonly clientName?: string;
  /** Keeps marks in this data directory and holds sending for them, as the service does. */
  readonly dataDir?: string;
  /** Runs the tasks of sendings from the queue as well. */
  readonly runsTasks?: boolean;
  /** A job to generate first. */
  readonly generate?: { readonly idSite: number; readonly idJob: number };
}

keepHeapSmall();
const settings = JSON.parse(process.argv[2]!) as WorkerSettings;
const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
const control = openDatabase({ ...settings.connection, max: 10 }, () => undefined);
const app = makeApp(control, {
  config: settings.dataDir === undefined ? {} : { dataDir: settings.dataDir },
  log,
  secret: Buffer.from(settings.secret, 'hex'),
  publicUrl: `http://${settings.clientName ?? 'mail.test'}`,
});
if (settings.dataDir) await checkInstallation(app);
const mayGoOn = settings.dataDir ? { mayGoOn: () => markSending(app) } : {};
const engine = new SendingEngine(app, { ...settings, ...mayGoOn });
engine.start();
const tasks = [generateJob, findLostGenerations, markRefused, notifyDelivery];
const runner = settings.runsTasks ? await startTaskRunner(app, tasks) : undefined;
process.stdout.write('ready\n');
process.once('SIGTERM', async () => {
  await runner?.stop();
  await engine.stop();
  await control.pool.end();
  process.exit(0);
});
if (settings.generate) await generateJob.run(app, settings.generate, new AbortController().signal);
