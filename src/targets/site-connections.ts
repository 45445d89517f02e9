import pg from 'pg';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { unavailable } from '../platform/http/refusal.ts';
import { makeSiteRole, type SiteRole, siteRoleOf } from './site-role.ts';

/** Idle ones that this process keeps, of all sites together, and for how long. */
const mostIdle = 12;
const idleMs = 10_000;
const connectMs = 10_000;
/** How long PostgreSQL may take to end a session: between two rows it looks whether it is to. */
const endMs = 10_000;

/** Our SQL names the schema of every table. A statement, not a start-up option, which poolers refuse. */
const onlyCatalog = 'set search_path = pg_catalog';

/** A connection that is signed in as the role of a site. */
export interface SiteConnection {
  readonly client: pg.Client;
  readonly role: SiteRole;
  /** Whether it has served somebody before. */
  readonly isOld: boolean;
}

interface Idle extends SiteConnection {
  readonly timer: NodeJS.Timeout;
}

/** In the order of their coming. By the secret, which the apps of one process share. */
const idleOf = new WeakMap<App['secrets'], Idle[]>();

function idleIn({ secrets }: App): Idle[] {
  const idle = idleOf.get(secrets) ?? [];
  idleOf.set(secrets, idle);
  return idle;
}

/** One that is idle, or else a new one, whose role is made first where it is missing. */
export async function enterSite(app: App, db: SiteDb): Promise<SiteConnection> {
  const role = await siteRoleOf({ app, db });
  const idle = idleIn(app);
  const at = idle.findLastIndex((one) => one.role.name === role.name);
  const [found] = at < 0 ? [] : idle.splice(at, 1);
  if (!found) return enterAnew(app, db);
  clearTimeout(found.timer);
  socketOf(found.client).ref();
  return { client: found.client, role, isOld: true };
}

/** A new connection. */
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
    app.log.error({ role: role.name, reason: error.message }, 'the role of a site cannot sign in');
    throw unavailable(
      'SQL filters cannot be used: the database does not let the role sign in that runs them for this site; its log ' +
        'and that of the service say why',
    );
  }
}

/**
 * Ends the transaction, and keeps the connection for a while as if it were new: settings, locks and whatever else was
 * left in the session no longer exist.
 */
export async function leaveSite(app: App, { client, role }: SiteConnection): Promise<void> {
  try {
    await client.query('rollback');
    await client.query('discard all');
    await client.query(onlyCatalog);
  } catch {
    return endConnection(client);
  }
  const idle = idleIn(app);
  const drop = () => {
    forget(idle, client);
    void endConnection(client);
  };
  // Neither keeps the process from ending.
  socketOf(client).unref();
  idle.push({ client, role, isOld: true, timer: setTimeout(drop, idleMs).unref() });
  if (idle.length <= mostIdle) return;
  const eldest = idle[0]!.client;
  forget(idle, eldest);
  await endConnection(eldest);
}

/**
 * Has PostgreSQL end the session that a transaction of it is known by, with the statement that it has running, and
 * waits until it no longer exists; then the connection is ended as well, so that it serves no one else.
 */
export async function breakOff(
  app: App,
  db: SiteDb,
  { client, role }: SiteConnection,
  { pid, begun }: { readonly pid: number; readonly begun: string },
): Promise<void> {
  try {
    // The role may end its own sessions; the user of the database need not have the right to.
    const other = await enterSite(app, db);
    const found = `select pg_terminate_backend(pid, ${endMs}) from pg_stat_activity where pid = $1 and xact_start = $2`;
    await other.client.query(found, [pid, begun]).finally(() => leaveSite(app, other));
  } catch (error) {
    app.log.warn(
      { err: error, role: role.name },
      'an SQL filter could not be broken off; PostgreSQL will notice',
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

/** The types leave these two out. */
const socketOf = (client: pg.Client) => client as unknown as { ref(): void; unref(): void };

/** Ends a connection permanently. */
export async function endConnection(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

async function signIn(app: App, role: SiteRole): Promise<SiteConnection> {
  // Reads an address as the pool does, whichever form it has; it never connects.
  const { host, port, database, ssl } = new pg.Client(app.control.pool.options);
  const client = new pg.Client({
    ...{ host, port, database, ssl, user: role.name, password: role.password },
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  } as pg.ClientConfig);
  // A lost connection fails the statement running; without a listener it would end the process as well.
  client.on('error', () => undefined);
  client.once('end', () => forget(idleIn(app), client));
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

/** Unknown role, wrong password (the secret was another one), no right to connect. */
function isRefused(error: unknown): error is Error {
  return /^(28|42501)/.test((error as { code?: string }).code ?? '');
}
