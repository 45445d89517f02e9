import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { deliverErrors, finishImport } from '../imports/tasks/finish-import.ts';
import { runImport } from '../imports/tasks/run-import.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { Secrets } from '../platform/secrets.ts';
import { startWaitingTasks } from '../platform/task-permits.ts';
import { startTaskRunner } from '../platform/task-runner.ts';

/** What the process is told, as JSON in its one argument. */
export interface ImportWorkerOptions {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  /** Where notices go. */
  readonly smtpUrl: string;
}

/**
 * The queue of jobs with the tasks of imports, in a process of its own that can be killed. Run by
 * `node --import tsx src/testing/import-worker.ts <options>`.
 */
async function work({ connection, dataDir, smtpUrl }: ImportWorkerOptions): Promise<void> {
  const control = openDatabase(connection, () => undefined);
  const app = {
    config: readConfig({
      FACTEUR_DATA_DIR: dataDir,
      FACTEUR_SMTP_URL: smtpUrl,
      FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8',
    }),
    control,
    clock: systemClock,
    log: pino({ level: 'fatal' }),
    secrets: new Secrets(Buffer.alloc(32)),
    publicUrl: 'http://import.test',
    ...siteFinder(control),
  };
  await startTaskRunner(app, [runImport, finishImport, deliverErrors, startWaitingTasks]);
}

await work(JSON.parse(process.argv[2] ?? '') as ImportWorkerOptions);
