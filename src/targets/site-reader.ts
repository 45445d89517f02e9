import type { App } from '../platform/app.ts';
import { Connection } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal, unavailable } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { Semaphore } from '../platform/semaphore.ts';
import {
  breakOff,
  endConnection,
  enterAnew,
  enterSite,
  leaveSite,
  type SiteConnection,
} from './site-connections.ts';
import { makeSiteRole } from './site-role.ts';

/** Limits of concurrent transactions in this process: for one site, and in total. */
const limits = { perOwner: 4, permits: 12, waiting: 100, patienceMs: 30_000 };
/** Keyed by the secret, which the apps of one process share. */
const semaphoreOf = remembered((_: App['secrets']) => new Semaphore('SQL filters', limits));

/** How long a change of fields may block a reader. */
const lockTimeout = '10s';

export interface Reading {
  /** The exported snapshot of another transaction (`pg_export_snapshot`); both then see the same subscribers. */
  readonly snapshot?: string | undefined;
  /** Cancels the reading: the running statement ends in PostgreSQL too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs statements in a read-only transaction that is rolled back, as the role that may read the site's subscribers and
 * nothing else. Whatever an expression leaves in the session (settings, locks) is reset before its next use.
 * @throws 503 when the role cannot be created or used, or when too many requests of the site wait; the signal's reason.
 */
export async function asSiteReader<T>(
  app: App,
  db: SiteDb,
  { snapshot, signal }: Reading,
  work: (reader: Connection) => Promise<T>,
): Promise<T> {
  let hasPermit = false;
  const withPermit = async (): Promise<T> => {
    hasPermit = true;
    const connection = await beginAsReader(app, db, snapshot);
    try {
      return await unlessBroken(app, db, connection, signal, work);
    } finally {
      await leaveSite(app, connection);
    }
  };
  try {
    return await semaphoreOf(app.secrets).run(withPermit, db.site.schema, signal);
  } catch (error) {
    signal?.throwIfAborted();
    // A 503, so that a task retries.
    if (!hasPermit && error instanceof Refusal) throw unavailable(error.message);
    throw error;
  }
}

/** Runs `work` on a connection that is ended when the signal is aborted; waits until the session has exited. */
async function unlessBroken<T>(
  app: App,
  db: SiteDb,
  connection: SiteConnection,
  signal: AbortSignal | undefined,
  work: (reader: Connection) => Promise<T>,
): Promise<T> {
  const reader = new Connection(connection.client);
  if (!signal) return work(reader);
  const transaction = await reader.one<{ pid: number; begun: string }>(
    sql`select pg_backend_pid() as pid, now()::text as begun`,
  );
  signal.throwIfAborted();
  let broken: Promise<void> | undefined;
  const end = () => {
    broken = breakOff(app, db, connection, transaction);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work(reader);
  } finally {
    signal.removeEventListener('abort', end);
    await broken;
  }
}

async function beginAsReader(app: App, db: SiteDb, snapshot: string | undefined): Promise<SiteConnection> {
  for (let enter = enterSite; ; enter = enterAnew) {
    const connection = await enter(app, db);
    try {
      await begin(app, db, connection, snapshot);
      return connection;
    } catch (error) {
      await endConnection(connection.client);
      // Only an old connection is replaced: it was lost while it was idle, or its role was dropped.
      if (!connection.isOld || error instanceof Refusal) throw error;
    }
  }
}

async function begin(
  app: App,
  db: SiteDb,
  { client, role, isOld }: SiteConnection,
  snapshot: string | undefined,
): Promise<void> {
  await client.query('begin isolation level repeatable read, read only');
  // The format of a snapshot's name, because the statement accepts no parameters.
  if (snapshot !== undefined && !/^[0-9A-F-]+$/.test(snapshot)) throw new Error('Not the name of a snapshot');
  if (snapshot !== undefined) await client.query(`set transaction snapshot '${snapshot}'`);
  const reader = new Connection(client);
  if (await hasRights(db, reader)) return holdSubscribers(db, reader);
  if (isOld) throw new Error('The connection’s role no longer exists or may no longer read');
  // A dump was restored without rights, or a table was rebuilt. Only a new transaction sees rights granted now.
  await makeSiteRole(app, db, role);
  await client.query('rollback');
  await begin(app, db, { client, role, isOld: true }, snapshot);
}

/** Whether the role may read the subscribers. @throws Error when it may do more. */
async function hasRights(db: SiteDb, reader: Connection): Promise<boolean> {
  const { schema } = db.site;
  const { mayRead, mayMore } = await reader.one<{ mayRead: boolean; mayMore: boolean }>(sql`
    select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as "mayRead",
      current_setting('is_superuser') = 'on'
        or has_table_privilege(c.oid, 'insert, update, delete, truncate') as "mayMore",
      set_config('lock_timeout', ${lockTimeout}, true)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = 'subscriber'`);
  // Extra rights on the role would remove the protection that it gives.
  if (mayMore) throw new Error(`The role that runs the SQL filters of ${schema} may do more than read`);
  return mayRead;
}

/** Keeps the types of the columns until the transaction ends. A concurrent change waits, and gives up first. */
async function holdSubscribers(db: SiteDb, reader: Connection): Promise<void> {
  try {
    await reader.run(sql`lock table ${db.t.subscriber} in access share mode`);
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    throw unavailable('The fields of the site are being changed; try again later');
  }
}
