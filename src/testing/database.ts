import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Connection, type Database, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { templateName } from './template-database.ts';

/** Where the run's PostgreSQL listens; global-setup.ts provides it. */
export function serverConnection(): pg.ClientConfig {
  return inject('postgres');
}

export interface TestDatabase {
  readonly connection: pg.ClientConfig;
  readonly database: Database;
  /** Closes the pool and drops the database. */
  close(): Promise<void>;
}

/** A database of the test file's own, cloned from the migrated template. Holds the sites `demo` and `other`. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const name = await copyDatabase(templateName);
  const connection = { ...serverConnection(), database: name };
  const database = openDatabase({ ...connection, max: 10 }, () => undefined);
  return {
    connection,
    database,
    async close() {
      await database.pool.end();
      await dropDatabase(name);
    },
  };
}

/**
 * Copies a database that has no sessions; returns the copy's name. The files are copied as they are: block by
 * block, through the log, the 900 of them take more than twice as long.
 */
export async function copyDatabase(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name} template ${template} strategy file_copy`);
  return name;
}

/** Drops a database, even if clients are connected to it. */
export async function dropDatabase(name: string): Promise<void> {
  await onServer(`drop database if exists ${name} with (force)`);
}

/** Runs a statement that belongs to no database. */
export async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(serverConnection());
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Whether a session of this database has put lines into a table by COPY and continues; its table no one else sees. */
export async function isCopying(control: Connection): Promise<boolean> {
  const found = await control.rows(sql`
    select from pg_stat_progress_copy
    where datname = current_database() and command = 'COPY FROM' and tuples_processed > 0`);
  return found.length > 0;
}

/** Whether no other session of this database is active: PostgreSQL notices late that a client was killed. */
export async function isAlone(control: Connection): Promise<boolean> {
  const others = await control.rows(sql`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and state <> 'idle'`);
  return others.length === 0;
}
