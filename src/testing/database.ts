import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../platform/db/database.ts';
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
