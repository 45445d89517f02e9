import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { type Database, inTransaction } from './database.ts';
import type { Site } from './site-db.ts';
import { identifier } from './sql.ts';

interface Migration {
  /** The file's name, e.g. `0002-subscribers.sql`; also what is recorded as applied. */
  readonly name: string;
  readonly text: string;
}

/** `src/` and `dist/` lie at the same depth, so the folder is found from both. */
const folder = new URL('../../../migrations/', import.meta.url);

/** The numbered migrations of the control schema or of a site's schema, in order. */
export async function readMigrations(of: 'control' | 'site'): Promise<Migration[]> {
  const directory = new URL(`${of}/`, folder);
  const names = (await readdir(directory)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(new URL(name, directory), 'utf8') })),
  );
}

/**
 * Brings the control schema, the job queue and every site to this version. Each migration is one transaction with
 * its record, so a crash leaves it done or not done; a session lock makes processes that start together wait for
 * the first, and find nothing left to do.
 */
export async function migrate(database: Database): Promise<void> {
  await database.withClient(async (client) => {
    await client.query(`select pg_advisory_lock(hashtextextended('facteur.migrate', 0))`);
    try {
      await migrateControl(client);
      await runMigrations({ pgPool: database.pool });
      const sites = await client.query<Site>(
        `select id, name, schema_name as "schema" from facteur.site order by id`,
      );
      for (const site of sites.rows) await migrateSchema(client, site);
    } finally {
      await client.query(`select pg_advisory_unlock(hashtextextended('facteur.migrate', 0))`);
    }
  });
}

/** Makes or updates the schema of one site, inside the transaction that the client has open or one of its own. */
export async function migrateSite(client: pg.PoolClient, site: Site): Promise<void> {
  await applyAll(
    client,
    site.schema,
    await readMigrations('site'),
    async (name) => {
      await client.query('insert into facteur.site_migration (id_site, name) values ($1, $2)', [
        site.id,
        name,
      ]);
    },
    await appliedToSite(client, site),
  );
}

async function migrateControl(client: pg.PoolClient): Promise<void> {
  await client.query(`
    create schema if not exists facteur;
    create table if not exists facteur.migration
      (name text primary key, applied_at timestamptz not null default now())`);
  const applied = await client.query<{ name: string }>('select name from facteur.migration');
  const names = new Set(applied.rows.map((row) => row.name));
  for (const migration of await readMigrations('control')) {
    if (names.has(migration.name)) continue;
    await inTransaction(client, () =>
      applyAll(client, 'facteur', [migration], async (name) => {
        await client.query('insert into facteur.migration (name) values ($1)', [name]);
      }),
    );
  }
}

async function migrateSchema(client: pg.PoolClient, site: Site): Promise<void> {
  const applied = await appliedToSite(client, site);
  for (const migration of await readMigrations('site')) {
    if (applied.has(migration.name)) continue;
    await inTransaction(client, () =>
      applyAll(client, site.schema, [migration], async (name) => {
        await client.query('insert into facteur.site_migration (id_site, name) values ($1, $2)', [
          site.id,
          name,
        ]);
      }),
    );
  }
}

async function appliedToSite(client: pg.PoolClient, site: Site): Promise<Set<string>> {
  const query = 'select name from facteur.site_migration where id_site = $1';
  return new Set((await client.query<{ name: string }>(query, [site.id])).rows.map((row) => row.name));
}

async function applyAll(
  client: pg.PoolClient,
  schema: string,
  migrations: readonly Migration[],
  record: (name: string) => Promise<void>,
  applied: ReadonlySet<string> = new Set(),
): Promise<void> {
  await client.query(`create schema if not exists ${identifier(schema).text}`);
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    // A migration writes its names bare: the path says whose they are, for this transaction only.
    await client.query(`set local search_path = ${identifier(schema).text}`);
    await client.query(migration.text);
    await client.query('set local search_path = facteur');
    await record(migration.name);
  }
}
