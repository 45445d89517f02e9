import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type App, appWith } from './app.ts';
import { systemClock } from './clock.ts';
import { keepOnce, openDataDir } from './data-dir.ts';
import { type Database, openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { siteFinder } from './db/sites.ts';
import { sql } from './db/sql.ts';
import { EventCounts } from './event-counts.ts';
import { type RunningPostgres, startPostgres } from './postgres/embedded.ts';
import { Secrets } from './secrets.ts';

/** A request's statement is ended after this; what takes longer belongs to a job. */
const requestStatementMs = 60_000;

export interface OpenedApp {
  readonly app: App;
  /** The same over connections whose statements end after a minute: for requests of the API. */
  readonly forRequests: App;
  /** The embedded server; undefined with DATABASE_URL. */
  readonly postgres: RunningPostgres | undefined;
  /** Tells the app the port that HTTP got, where the configuration leaves it open. */
  listensOn(port: number): void;
  close(): Promise<void>;
}

/** Where readers reach an installation whose HTTP listens on a port, without a trailing slash. */
export function publicUrlOf(config: Config, port: number): string {
  return config.publicUrl ?? `http://localhost:${port}`;
}

/**
 * Opens data directory, secret and database, brings every schema to this version, and gives the app. Several
 * processes may do this at once.
 */
export async function openApp(config: Config, log: Logger): Promise<OpenedApp> {
  openDataDir(config.dataDir);
  const secret =
    config.secret ?? keepOnce(config.dataDir, 'secret', () => randomBytes(32).toString('base64url'));
  const postgres = config.databaseUrl ? undefined : await startPostgres({ dataDir: config.dataDir, log });
  const connection: pg.PoolConfig = postgres?.connection ?? { connectionString: config.databaseUrl };
  let isClosing = false;
  const onError = (error: Error & { code?: string }) => {
    // Not the error itself: pg hangs the whole connection on it. At the end it is we who leave.
    if (!isClosing) log.warn({ code: error.code, reason: error.message }, 'database connection lost');
  };
  const control = openDatabase(connection, onError);
  const forRequests = openDatabase(connection, onError, requestStatementMs);
  let port = config.port;
  const app: App = {
    config,
    clock: systemClock,
    log,
    secrets: new Secrets(Buffer.from(secret, 'utf8')),
    get publicUrl() {
      return publicUrlOf(config, port);
    },
    control,
    counts: new EventCounts(),
    ...siteFinder(control),
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    await forRequests.pool.end();
    await control.pool.end();
    await postgres?.stop();
  };
  try {
    await checkServer(control);
    await migrate(control);
  } catch (error) {
    await close();
    throw config.databaseUrl ? atUrl(error) : error;
  }
  return {
    app,
    forRequests: appWith(app, { control: forRequests, ...siteFinder(forRequests), background: app }),
    postgres,
    listensOn(taken) {
      port = taken;
    },
    close,
  };
}

/** @throws Error when the server is none that Facteur is made for. */
async function checkServer(control: Database): Promise<void> {
  const { version, encoding } = await control.one<{ version: number; encoding: string }>(sql`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`);
  if (version < 150_000)
    throw new Error(`PostgreSQL ${Math.floor(version / 10_000)} is too old: 15 is needed`);
  if (encoding !== 'UTF8') throw new Error(`The database's encoding is ${encoding}; UTF8 is needed`);
}

function atUrl(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  // Of the connection itself, or PostgreSQL refusing it; the URL may hold a password and is not repeated.
  const isConnection = /^(E[A-Z]+|28|3D|08|57P)/.test(code ?? '') || /timeout/.test(message);
  return isConnection ? new Error(`The database at DATABASE_URL cannot be used: ${message || code}`) : error;
}
