import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Sql, sql } from './sql.ts';
import { WatchedPool } from './watched-pool.ts';

// int8 (oid 20) as a number: our counts and identifiers stay far below 2^53. Field values that may not are
// selected as text by the store that knows (fields/field-value).
pg.types.setTypeParser(20, (text) => Number(text));

export type Row = pg.QueryResultRow;

/** Runs statements, on a pool or inside one transaction. All waits and errors are PostgreSQL's own. */
export class Connection {
  readonly #target: pg.Pool | pg.ClientBase;

  constructor(target: pg.Pool | pg.ClientBase) {
    this.#target = target;
  }

  /** The value in the first column of a query that always has a row. */
  async value<V>(query: Sql): Promise<V> {
    return Object.values(await this.one(query))[0] as V;
  }

  /** The values in the first column of a query. */
  async values<V>(query: Sql): Promise<V[]> {
    return (await this.rows(query)).map((row) => Object.values(row)[0] as V);
  }

  /** All rows of a query. The caller states the row's type, next to the select list that makes it true. */
  async rows<R extends object = Row>(query: Sql): Promise<R[]> {
    return (await this.#target.query({ text: query.text, values: query.values })).rows;
  }

  async first<R extends object = Row>(query: Sql): Promise<R | undefined> {
    return (await this.rows<R>(query))[0];
  }

  /** The one row that a query must have; its absence is a defect. */
  async one<R extends object = Row>(query: Sql): Promise<R> {
    const row = await this.first<R>(query);
    if (!row) throw new Error('A query that always has a row had none');
    return row;
  }

  async has(query: Sql): Promise<boolean> {
    return (await this.first(query)) !== undefined;
  }

  /** Runs a statement; the number of rows it touched. */
  async run(query: Sql): Promise<number> {
    const result = await this.#target.query({ text: query.text, values: query.values });
    return result.rowCount ?? 0;
  }

  /** Runs a statement; whether it touched a row. */
  async touches(query: Sql): Promise<boolean> {
    return (await this.run(query)) > 0;
  }

  /** Like `rows`, as a named statement, parsed once a connection. With skewed parameters the plan can be slower. */
  async prepared<R extends object = Row>(name: string, query: Sql): Promise<R[]> {
    return (await this.#target.query({ name, text: query.text, values: query.values })).rows;
  }
}

export type Isolation = 'read committed' | 'repeatable read';

/** A pool of connections to one PostgreSQL database, seen with the control tables (schema `facteur`). */
export class Database extends Connection {
  readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super(pool);
    this.pool = pool;
  }

  /** Runs `work` in a transaction. @throws if the commit's outcome is unknown, too; the caller rereads */
  async transaction<T>(work: (tx: Connection) => Promise<T>, isolation?: Isolation): Promise<T> {
    return this.withClient((client) => inTransaction(client, () => work(new Connection(client)), isolation));
  }

  /** One connection of the pool for as long as `work` runs: for COPY, cursors and session settings. */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (isConnectionLost(error)) broken = error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs work on one connection, whose temporary tables and session locks last until its end. */
  async withSession<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let isClean = false;
    try {
      const result = await work(client);
      await client.query('discard temp');
      await client.query('select pg_advisory_unlock_all()');
      isClean = true;
      return result;
    } finally {
      // Closed after an error: with the connection all that it keeps no longer exists. PostgreSQL may notice that later
      // than the next caller asks for a lock, so the locks are released first.
      if (!isClean) await Promise.race([releaseLocks(client), pause(1_000, undefined, { ref: false })]);
      client.release(!isClean);
    }
  }
}

const releaseLocks = (client: pg.PoolClient): Promise<unknown> =>
  client.query('select pg_advisory_unlock_all()').catch(() => undefined);

/** Begins, runs, and commits or rolls back on one client. */
export async function inTransaction<T>(
  client: pg.PoolClient,
  work: () => Promise<T>,
  isolation: Isolation = 'read committed',
): Promise<T> {
  await client.query(`begin isolation level ${isolation}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // The rollback may fail because the connection was lost; the first error is the useful one. On an unresponsive
    // connection the rollback would only wait as long again.
    if (!isConnectionLost(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Version of the PostgreSQL server, for example 18.4. */
export async function serverVersion(database: Connection): Promise<string> {
  return database.value<string>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as version`);
}

/** Advisory lock of a name for the transaction. @param isShared blocks only exclusive callers */
export function advisoryLock(name: string, isShared = false): Sql {
  return isShared
    ? sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`
    : sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/** Cancels (57014) the running statements of other sessions that hold the advisory lock of a name. */
export function cancelHolders(name: string): Sql {
  // Statements of other roles are left out: cancelling them would be an error.
  return sql`
    select pg_cancel_backend(l.pid)
    from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datid = l.database
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(${name}, 0)
      and a.datname = current_database() and a.usename = current_user and a.pid <> pg_backend_pid()`;
}

/** Rows between two reports of `counted`. */
const countedStep = 1_000;
const countedName = 'facteur rows ';

/**
 * The rows of a query, counted while they are read: every thousand rows their number becomes the connection's name,
 * which is all that other connections see of a statement that runs. The end of the transaction removes it.
 */
export const counted = (query: Sql): Sql => sql`
  select *, case when row_number() over () % ${countedStep}::int = 0
    then set_config('application_name', ${countedName} || row_number() over (), true) end as counted
  from (${query}) one`;

/** A query of the rows that the holder of an advisory lock has `counted`; 0 without one. @param name a text in SQL */
export const countedByHolder = (name: Sql): Sql => sql`
  select coalesce(max(substring(a.application_name from ${`^${countedName}(\\d+)$`})::bigint), 0)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datid = l.database
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(${name}, 0)`;

/** Did the connection break or end? What was sent on it may have been done or not. */
export function isConnectionLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  const lost = /terminated|Connection ended|^Query read timeout$/i;
  return /^(08|57P|ECONN|EPIPE)/.test(code) || lost.test(error.message);
}

/** Whether an error comes from PostgreSQL or its driver. Its text is for the log alone: it can hold SQL and values. */
export function isOfDatabase(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true;
  return (
    error instanceof Error &&
    /Connection (terminated|ended)|trying to connect|^Query read timeout$/.test(error.message)
  );
}

/** Whether an error is PostgreSQL's “duplicate key”, for the given constraint or index. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  const e = error as { code?: string; constraint?: string };
  return e?.code === '23505' && (constraint === undefined || e.constraint === constraint);
}

/** Whether an error is PostgreSQL's “deadlock detected”. This transaction was rolled back, and the others continue. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === '40P01';
}

/** Runs a transaction, and again while it is the one that a deadlock is ended with: twice more at most. */
export async function againAfterDeadlock<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 2; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
    }
  }
  return transaction();
}

/** Milliseconds until a request without a connection fails: the server is unavailable, or overloaded. */
const connectMs = 30_000;
/** Milliseconds for PostgreSQL's report of a cancelled statement to arrive. */
const answerMarginMs = 5_000;

/**
 * Opens a pool on a connection string or socket; `max` connections at most.
 * @param statementTimeoutMs PostgreSQL ends a statement after this; 0 lets it run, as background work must. Where no
 * answer comes a little later either, the connection is taken to be lost, and so is one that cannot be had in time.
 */
export function openDatabase(
  connection: pg.PoolConfig,
  onError: (error: Error) => void,
  statementTimeoutMs = 0,
): Database {
  // Our SQL names the schema of every table. Statements, not start-up options, which poolers refuse.
  const onConnect = (client: pg.ClientBase) =>
    client.query(`set search_path = pg_catalog; set statement_timeout = ${statementTimeoutMs}`) as never;
  // Kept alive: a server that vanished without a word is noticed, not waited for without end.
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  // But not on a connection with a statement running, which the kernel repeats for a quarter of an hour: the pool of
  // requests asks the server itself (WatchedPool).
  const patience = statementTimeoutMs > 0 && {
    connectionTimeoutMillis: connectMs,
    query_timeout: statementTimeoutMs + answerMarginMs,
  };
  const config = { max: 20, onConnect, ...alive, ...patience, ...connection };
  const pool = statementTimeoutMs > 0 ? new WatchedPool(config) : new pg.Pool(config);
  // Without a listener an idle connection that PostgreSQL drops would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return new Database(pool);
}
