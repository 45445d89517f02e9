import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { siteFinder } from '../src/platform/db/sites.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';

/** A database of its own for one benchmark, with the empty site `demo`. */
export interface BenchDatabase {
  readonly connection: pg.ClientConfig;
  readonly control: Database;
  readonly db: SiteDb;
  /** A connection on which names without a schema are those of the site. */
  readonly client: pg.Client;
  /** The folder of the server's data; it is deleted at the end. */
  readonly dataDir: string;
  close(): Promise<void>;
}

/** Starts PostgreSQL in a temporary folder and makes the database. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-bench-'));
  const postgres = await startPostgres({ dataDir, log: pino({ level: 'error' }) });
  const stop = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const server = postgres.connection as pg.ClientConfig;
    await makeTemplate(server);
    const connection = { ...server, database: templateName };
    const control = openDatabase({ ...connection, max: 4 }, () => undefined);
    const db = (await siteFinder(control).site('demo'))!;
    const client = new pg.Client({ ...connection, options: '-c search_path=site_demo,facteur' });
    await client.connect();
    const close = async () => {
      await client.end();
      await control.pool.end();
      await stop();
    };
    return { connection, control, db, client, dataDir, close };
  } catch (error) {
    await stop();
    throw error;
  }
}
