import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { finishExport } from '../exports/tasks/finish-export.ts';
import { runExport } from '../exports/tasks/run-export.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { Secrets } from '../platform/secrets.ts';
import { peakMb } from './peak-memory.ts';

/** What the process is told, as JSON in its one argument. */
export interface ExportProcessOptions {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  readonly idSite: number;
  readonly idExport: number;
  /** Reports of the end of the export as well, through this relay. */
  readonly smtpUrl?: string;
}

/** The secret of these processes; what they are to decrypt must be encrypted with it. */
export const exportProcessSecret = Buffer.alloc(32);

/**
 * A run of an export in a process of its own that can be killed; prints what it took as a line of JSON.
 * Run by `node --import tsx src/testing/export-process.ts <options>`.
 */
async function run({ connection, dataDir, idSite, idExport, smtpUrl }: ExportProcessOptions): Promise<void> {
  const control = openDatabase(connection, () => undefined);
  const settings = { FACTEUR_DATA_DIR: dataDir, FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8' };
  const app = {
    config: readConfig({ ...settings, ...(smtpUrl && { FACTEUR_SMTP_URL: smtpUrl }) }),
    control,
    clock: systemClock,
    log: pino({ level: 'warn' }, pino.destination(2)),
    secrets: new Secrets(exportProcessSecret),
    publicUrl: 'http://export.test',
    ...siteFinder(control),
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const { signal } = new AbortController();
  await runExport.run(app, { idSite, idExport }, signal);
  const seconds = (performance.now() - started) / 1_000;
  if (smtpUrl) await finishExport.run(app, { idSite, idExport }, signal);
  process.stdout.write(JSON.stringify({ seconds, peakMb: peakMb(), longestBlockMs: delay.max / 1e6 }));
  await control.pool.end();
}

// Others import its types and its secret.
if (process.argv[2]?.startsWith('{')) await run(JSON.parse(process.argv[2]) as ExportProcessOptions);
