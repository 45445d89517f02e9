import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { deliverErrorFile } from '../imports/error-delivery.ts';
import { findLog } from '../imports/import-log-store.ts';
import { runImport } from '../imports/tasks/run-import.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { Secrets } from '../platform/secrets.ts';
import { peakMb } from './peak-memory.ts';

/** What the process is told, as JSON in its one argument. */
export interface ImportProcessOptions {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  readonly idSite: number;
  /** The import, or several that are run one after the other. */
  readonly idImport: number | readonly number[];
}

/**
 * A run of an import in a process of its own that can be killed; prints what it took as a line of JSON.
 * Run by `node --import tsx src/testing/import-process.ts <options>`.
 */
async function run({ connection, dataDir, idSite, idImport }: ImportProcessOptions): Promise<void> {
  const control = openDatabase(connection, () => undefined);
  const app = {
    config: readConfig({ FACTEUR_DATA_DIR: dataDir }),
    control,
    clock: systemClock,
    log: pino({ level: 'fatal' }),
    secrets: new Secrets(Buffer.alloc(32)),
    publicUrl: 'http://import.test',
    ...siteFinder(control),
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const { signal } = new AbortController();
  const db = (await app.siteById(idSite))!;
  for (const id of [idImport].flat()) {
    await runImport.run(app, { idSite, idImport: id }, signal);
    const log = await findLog(db, id);
    // As the job that follows the run does.
    if (log) await deliverErrorFile(app, db, id, log.log.id, signal);
  }
  const seconds = (performance.now() - started) / 1_000;
  process.stdout.write(JSON.stringify({ seconds, peakMb: peakMb(), longestBlockMs: delay.max / 1e6 }));
  await control.pool.end();
}

await run(JSON.parse(process.argv[2] ?? '') as ImportProcessOptions);
