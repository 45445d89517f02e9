import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type App, appWith } from './app.ts';
import { systemClock } from './clock.ts';
import { keepOnce, openDataDir } from './data-dir.ts';
import { type Database, openDatabase, serverVersion } from './db/database.ts';
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
  /** The app over connections whose statements end after a minute: for API requests. */
  readonly forRequests: App;
  /** The embedded server; undefined with DATABASE_URL. */
  readonly postgres: RunningPostgres | undefined;
  readonly serverVersion: string;
  /** Reports the app the port that HTTP got, where the configuration leaves it open. */
  listensOn(port: number): void;
  close(): Promise<void>;
}

/** Where readers reach an installation whose HTTP listens on a port, without a trailing slash. */
export function publicUrlOf(config: Config, port: number): string {
  return config.publicUrl ?? `http://localhost:${port}`;
}

/** Opens data directory, secret and database, and migrates every schema. Processes may do this together. */
export async function openApp(config: Config, log: Logger): Promise<OpenedApp> {
  openDataDir(config.dataDir);
  // Before there is a server: with a damaged secret nothing is started.
  const secrets = new Secrets(Buffer.from(readSecret(config), 'utf8'));
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
    secrets,
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
  let version: string;
  try {
    version = await checkServer(control);
    if (config.databaseUrl) await refuseSharedSessions(connection);
    await migrate(control);
  } catch (error) {
    await close();
    throw config.databaseUrl ? atUrl(error) : error;
  }
  return {
    app,
    forRequests: appWith(app, { control: forRequests, ...siteFinder(forRequests), background: app }),
    postgres,
    serverVersion: version,
    listensOn(taken) {
      port = taken;
    },
    close,
  };
}

/** @throws Error that names the file if it holds no secret of Facteur's */
function readSecret({ secret, dataDir }: Config): string {
  if (secret !== undefined) return secret;
  const kept = keepOnce(dataDir, 'secret', () => randomBytes(32).toString('base64url'));
  if (kept.length >= 32) return kept;
  throw new Error(
    `The file ${join(dataDir, 'secret')} is empty or damaged; restore it from a backup, or set FACTEUR_SECRET to ` +
      'its value',
  );
}

/** Returns the server's version. @throws Error if Facteur does not support it */
async function checkServer(control: Database): Promise<string> {
  const version = await serverVersion(control);
  const encoding = await control.value<string>(sql`
    select current_setting('server_encoding') as encoding`);
  if (Number.parseInt(version, 10) < 15)
    throw new Error(`PostgreSQL ${version} is too old; use version 15 to 18`);
  if (encoding !== 'UTF8') throw new Error(`The database's encoding is ${encoding}; create it with UTF8`);
  return version;
}

/** Transactions after which two connections of a transaction pooler have met on one session. */
const meetings = 20;

/**
 * Locks and settings of ours belong to a session, so each connection needs a session of its own.
 * @throws Error behind a pooler that gives connections a session for each transaction (PgBouncer's
 *   `pool_mode = transaction` or `statement`).
 */
async function refuseSharedSessions(connection: pg.PoolConfig): Promise<void> {
  const [one, other] = [new pg.Client(connection), new pg.Client(connection)];
  const pidOf = async (client: pg.Client) =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await Promise.all([one.connect(), other.connect()]);
    for (let i = 0; i < meetings; i++) {
      // One after the other: a pooler hands the session that was released last to the next transaction.
      if ((await pidOf(one)) !== (await pidOf(other))) continue;
      throw new Error(
        'DATABASE_URL leads through a pooler that shares sessions between transactions; set its pool_mode to ' +
          'session, or name the server itself',
      );
    }
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

function atUrl(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  // Failures of the connection itself, or PostgreSQL refusing it; the URL may hold a password and is not repeated.
  const isConnection = /^(E[A-Z]+|28|3D|08|57P)/.test(code ?? '') || /timeout/.test(message);
  return isConnection ? new Error(`The database at DATABASE_URL cannot be used: ${message || code}`) : error;
}
