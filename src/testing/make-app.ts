import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import type { App } from '../platform/app.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { Secrets } from '../platform/secrets.ts';

/** Where an app of a test or a benchmark differs from the usual one. */
export interface AppDifferences extends Partial<Pick<App, 'clock' | 'log' | 'publicUrl' | 'counts'>> {
  /** Settings as in the environment: `FACTEUR_DATA_DIR`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Settings as the program reads them; they come before `settings`. */
  readonly config?: Partial<Config>;
  /** The installation's secret; omitted: a new one. */
  readonly secret?: Buffer;
}

/** Servers of tests listen on loopback. DNS has none there: no test asks the machine's. */
const loopback = { FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8', FACTEUR_DNS_SERVERS: '127.0.0.1:1' };

/** The app over a database, as tests and benchmarks build it: it logs nothing. */
export function makeApp(
  control: Database,
  { settings, config, secret = randomBytes(32), ...parts }: AppDifferences = {},
): App {
  return {
    config: { ...readConfig({ ...loopback, ...settings }), ...config },
    clock: systemClock,
    log: pino({ level: 'silent' }),
    secrets: new Secrets(secret),
    publicUrl: 'http://mail.test',
    control,
    ...siteFinder(control),
    ...parts,
  };
}

/** The app with another connection to its database, which a test cuts or counts. */
export const appOver = (app: App, control: Database): App => ({ ...app, control, ...siteFinder(control) });
