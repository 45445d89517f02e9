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

/** A database of the test file's own, cloned from the migrated template (some 50 ms). Holds the site `demo`. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name} template ${templateName}`);
  const connection = { ...serverConnection(), database: name };
  const database = openDatabase({ ...connection, max: 10 }, () => undefined);
  return {
    connection,
    database,
    async close() {
      await database.pool.end();
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(serverConnection());
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
