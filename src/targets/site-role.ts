import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import type { App } from '../platform/app.ts';
import { advisoryLock, type Connection, type Database } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { identifier, raw, type Sql, sql } from '../platform/db/sql.ts';
import { type Refusal, unavailable } from '../platform/http/refusal.ts';

/**
 * The PostgreSQL role that may read one site's subscribers and nothing else; users' expressions run with its rights.
 * Dumps contain no roles, so this file creates a missing one at any time.
 */
export interface SiteRole {
  readonly name: string;
  /** Derived from the installation's secret, and stored nowhere. */
  readonly password: string;
}

/** Maximum number of connections of one role, over all processes of the installation. */
const connectionLimit = 32;
/** Maximum size of the temporary files of a statement. */
const tempFileLimit = '256MB';
/** Time limit of statements without a shorter one. */
const statementLimit = '15min';

const numbers = new WeakMap<Database, string>();

async function numberOf(database: Database): Promise<string> {
  return database.value<string>(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
}

/**
 * The site's role. Roles belong to the whole server, so the name contains the oid of the database, which no copy
 * shares.
 */
export async function siteRoleOf({ app, db }: { app: App; db: SiteDb }): Promise<SiteRole> {
  const oid = numbers.get(app.control) ?? (await numberOf(app.control));
  numbers.set(app.control, oid);
  const name = `facteur_site_${oid}_${db.site.id}`;
  return { name, password: app.secrets.sign('site role', Buffer.from(name)).toString('hex') };
}

/**
 * Creates the role, or resets its password, limits and rights. Several processes may run this concurrently.
 * @throws 503 when the database user may not create roles.
 */
export async function makeSiteRole(app: App, db: SiteDb, role: SiteRole): Promise<void> {
  try {
    await app.control.transaction(async (tx) => {
      await tx.run(advisoryLock('facteur.site-role'));
      await writeRole(tx, role);
      const name = identifier(role.name);
      await tx.run(sql`grant usage on schema ${identifier(db.site.schema)} to ${name}`);
      await tx.run(sql`grant select on ${db.t.subscriber} to ${name}`);
      const { database, canConnect } = await tx.one<{ database: string; canConnect: boolean }>(sql`
        select current_database() as database,
          has_database_privilege(${role.name}, current_database(), 'connect') as "canConnect"`);
      if (!canConnect) await tx.run(sql`grant connect on database ${identifier(database)} to ${name}`);
    });
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw mayNotMakeRoles(app, error as Error);
  }
  app.log.info(
    { role: role.name, site: db.site.name },
    'created the role that runs the SQL filters of a site',
  );
}

function mayNotMakeRoles(app: App, { message }: Error): Refusal {
  app.log.error({ reason: message }, 'SQL filters need a database user with the right to create roles');
  return unavailable(
    'SQL filters cannot be used: each site runs them as its own database role, and the database user may not create ' +
      'roles. The database’s administrator grants this by ALTER ROLE … CREATEROLE',
  );
}

async function writeRole(tx: Connection, { name, password }: SiteRole): Promise<void> {
  const known = await tx.first(sql`select from pg_roles where rolname = ${name}`);
  // A hash, so that no statement log contains the password.
  const attributes = raw(
    `login noinherit connection limit ${connectionLimit} password '${scramHash(password, name)}'`,
  );
  const role = identifier(name);
  await tx.run(known ? sql`alter role ${role} ${attributes}` : sql`create role ${role} ${attributes}`);
  await tx.run(sql`alter role ${role} set default_transaction_read_only = on`);
  await tx.run(sql`alter role ${role} set statement_timeout = ${raw(`'${statementLimit}'`)}`);
  await watchForKilled(tx, role);
  // Only a user with this privilege may set the limit; a superuser grants it.
  const mayLimit = await tx.value<boolean>(
    sql`select has_parameter_privilege('temp_file_limit', 'set') as "mayLimit"`,
  );
  if (mayLimit) await tx.run(sql`alter role ${role} set temp_file_limit = ${raw(`'${tempFileLimit}'`)}`);
}

/** Ends statements soon after their client was killed, where the server's operating system supports it. */
async function watchForKilled(tx: Connection, role: Sql): Promise<void> {
  await tx.run(sql`savepoint watch`);
  try {
    await tx.run(sql`alter role ${role} set client_connection_check_interval = '1s'`);
  } catch (error) {
    if ((error as { code?: string }).code !== '22023') throw error;
    await tx.run(sql`rollback to savepoint watch`);
  }
}

/** The SCRAM verifier that PostgreSQL stores for a password (RFC 5803); always the same for one password and name. */
function scramHash(password: string, name: string): string {
  const iterations = 4096;
  const salt = createHash('sha256').update(name).update(password).digest().subarray(0, 16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
