import pg from 'pg';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { unavailable } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { makeSiteRole, type SiteRole, siteRoleOf } from './site-role.ts';

/** Maximum number of idle connections of this process, over all sites, and how long each is kept. */
const mostIdle = 12;
const idleMs = 10_000;
const connectMs = 10_000;
/** Milliseconds that PostgreSQL may take to end a session: it checks between two rows. */
const endMs = 10_000;

/** Our SQL names the schema of every table. A statement, because poolers refuse the start-up option. */
const onlyCatalog = 'set search_path = pg_catalog';

/** A connection that is signed in as the role of a site. */
export interface SiteConnection {
  readonly client: pg.Client;
  readonly role: SiteRole;
  /** Whether the connection was idle before. */
  readonly isOld: boolean;
}

interface Idle extends SiteConnection {
  readonly timer: NodeJS.Timeout;
}

/** Idle connections, oldest first. Keyed by the secret, which the apps of one process share. */
const idleIn = remembered((_: App['secrets']): Idle[] => []);

/** An idle connection, or a new one; creates the site's role if it is missing. */
export async function enterSite(app: App, db: SiteDb): Promise<SiteConnection> {
  const role = await siteRoleOf({ app, db });
  const idle = idleIn(app.secrets);
  const at = idle.findLastIndex((one) => one.role.name === role.name);
  const [found] = at < 0 ? [] : idle.splice(at, 1);
  if (!found) return enterAnew(app, db);
  clearTimeout(found.timer);
  socketOf(found.client).ref();
  return { client: found.client, role, isOld: true };
}

/** A new connection, even if one is idle. */
export async function enterAnew(app: App, db: SiteDb): Promise<SiteConnection> {
  const role = await siteRoleOf({ app, db });
  try {
    return await signIn(app, role);
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  await makeSiteRole(app, db, role);
  try {
    return await signIn(app, role);
  } catch (error) {
    if (!isRefused(error)) throw error;
    app.log.error({ role: role.name, reason: error.message }, 'the role of a site could not sign in');
    throw unavailable(
      'SQL filters cannot be used: the database refuses the role that runs them for this site; its log ' +
        'and the log of this service say why',
    );
  }
}

/**
 * Ends the transaction and keeps the connection for a while. Settings, locks and other state of the session are reset.
 */
export async function leaveSite(app: App, { client, role }: SiteConnection): Promise<void> {
  try {
    await client.query('rollback');
    await client.query('discard all');
    await client.query(onlyCatalog);
  } catch {
    return endConnection(client);
  }
  const idle = idleIn(app.secrets);
  const drop = () => {
    forget(idle, client);
    void endConnection(client);
  };
  // Neither keeps the process running.
  socketOf(client).unref();
  idle.push({ client, role, isOld: true, timer: setTimeout(drop, idleMs).unref() });
  if (idle.length <= mostIdle) return;
  const eldest = idle[0]!.client;
  forget(idle, eldest);
  await endConnection(eldest);
}

/**
 * Ends a session in PostgreSQL with its running statement, waits until it has exited, and closes the connection. The
 * session is identified by its transaction.
 */
export async function breakOff(
  app: App,
  db: SiteDb,
  { client, role }: SiteConnection,
  { pid, begun }: { readonly pid: number; readonly begun: string },
): Promise<void> {
  try {
    // The role may end its own sessions; the database user need not have that right.
    const other = await enterSite(app, db);
    const found = `select pg_terminate_backend(pid, ${endMs}) from pg_stat_activity where pid = $1 and xact_start = $2`;
    await other.client.query(found, [pid, begun]).finally(() => leaveSite(app, other));
  } catch (error) {
    app.log.warn(
      { err: error, role: role.name },
      'SQL filter could not be cancelled; PostgreSQL ends it when it notices',
    );
  }
  await endConnection(client);
}

function forget(idle: Idle[], client: pg.Client): void {
  const at = idle.findIndex((one) => one.client === client);
  if (at < 0) return;
  clearTimeout(idle[at]!.timer);
  idle.splice(at, 1);
}

/** The types omit these two. */
const socketOf = (client: pg.Client) => client as unknown as { ref(): void; unref(): void };

export async function endConnection(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

async function signIn(app: App, role: SiteRole): Promise<SiteConnection> {
  // Reads the address as the pool does, in any form; this client never connects.
  const { host, port, database, ssl } = new pg.Client(app.control.pool.options);
  const client = new pg.Client({
    ...{ host, port, database, ssl, user: role.name, password: role.password },
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  } as pg.ClientConfig);
  // A lost connection fails the running statement; without a listener it would end the process too.
  client.on('error', () => undefined);
  client.once('end', () => forget(idleIn(app.secrets), client));
  try {
    await client.connect();
    await client.query(onlyCatalog);
  } catch (error) {
    await endConnection(client);
    if ((error as { code?: string }).code === '53300')
      throw unavailable('The database has no connection left for SQL filters; try again later');
    throw error;
  }
  return { client, role, isOld: false };
}

/** Unknown role, wrong password (after the secret has changed), no right to connect. */
function isRefused(error: unknown): error is Error {
  return /^(28|42501)/.test((error as { code?: string }).code ?? '');
}
