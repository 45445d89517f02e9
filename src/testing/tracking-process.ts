import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { Secrets } from '../platform/secrets.ts';
import { trackingHandler } from '../tracking/tracking-handler.ts';

/** What the process is told, as JSON in its one argument. */
export interface TrackingProcessOptions {
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
  /** Hex. */
  readonly secret: string;
}

/**
 * The tracking role alone, in a process of its own that can be killed: prints its port as a line once it listens.
 * Run by `node --import tsx src/testing/tracking-process.ts <options>`.
 */
function run(options: TrackingProcessOptions): void {
  const config = readConfig({ FACTEUR_DATA_DIR: options.dataDir });
  const control = openDatabase(options.connection, () => undefined);
  const app = {
    config,
    control,
    clock: systemClock,
    log: pino({ level: 'fatal' }),
    secrets: new Secrets(Buffer.from(options.secret, 'hex')),
    publicUrl: 'http://track.test',
    ...siteFinder(control),
  };
  const track = trackingHandler(app);
  const server = createServer((request, response) => {
    if (!track(request, response)) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
}

run(JSON.parse(process.argv[2] ?? '') as TrackingProcessOptions);
