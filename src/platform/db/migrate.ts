import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { type Database, inTransaction } from './database.ts';
import type { Site } from './site-db.ts';
import { identifier } from './sql.ts';

interface Migration {
  /** The file's name, for example `0100-baseline.sql`; recorded once it is applied. */
  readonly name: string;
  readonly text: string;
}

/** `src/` and `dist/` are at the same depth, so the folder is found from both. */
const folder = new URL('../../../migrations/', import.meta.url);

/** The last migrations before the baselines. A schema that has had them has everything that the baselines create. */
const lastBeforeBaseline = { control: '0023-provider-mx.sql', site: '0047-page-looks.sql' };
const baseline = '0100-baseline.sql';

/** The numbered migrations of the control schema or of a site's schema, in order. */
export async function readMigrations(of: 'control' | 'site'): Promise<Migration[]> {
  const directory = new URL(`${of}/`, folder);
  const names = (await readdir(directory)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(new URL(name, directory), 'utf8') })),
  );
}

/**
 * Updates the control schema, the job queue and every site to this version. Each migration and its record are one
 * transaction, so a crash leaves it done or not done. A session lock makes processes that start together wait for the
 * first.
 * @throws Error if a newer version has run on this database
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
      // Once for all sites: each start, of commands too, comes by here.
      const migrations = await readMigrations('site');
      const applied = await client.query<{ name: string }>(
        'select distinct name from facteur.site_migration',
      );
      refuseNewer(applied.rows, migrations);
      for (const site of sites.rows) {
        await adoptSite(client, site);
        for (const migration of await pendingOf(client, site, migrations)) {
          await inTransaction(client, () => applyToSite(client, site, migration));
        }
      }
    } finally {
      await client.query(`select pg_advisory_unlock(hashtextextended('facteur.migrate', 0))`);
    }
  });
}

/** Creates or updates a site's schema in the client's transaction, so that a new site exists whole or not at all. */
export async function migrateSite(client: pg.PoolClient, site: Site): Promise<void> {
  const migrations = await readMigrations('site');
  for (const migration of await pendingOf(client, site, migrations))
    await applyToSite(client, site, migration);
}

async function migrateControl(client: pg.PoolClient): Promise<void> {
  await client.query(`
    create schema if not exists facteur;
    create table if not exists facteur.migration
      (name text primary key, applied_at timestamptz not null default now())`);
  const select = 'select name from facteur.migration';
  const before = await client.query<{ name: string }>(select);
  if (hadOldMigrations(before.rows, 'control'))
    await client.query('insert into facteur.migration (name) values ($1)', [baseline]);
  const applied = await client.query<{ name: string }>(select);
  const ours = await readMigrations('control');
  refuseNewer(applied.rows, ours);
  for (const migration of without(applied.rows, ours)) {
    await inTransaction(client, async () => {
      await apply(client, 'facteur', migration);
      await client.query('insert into facteur.migration (name) values ($1)', [migration.name]);
    });
  }
}

async function adoptSite(client: pg.PoolClient, site: Site): Promise<void> {
  const query = 'select name from facteur.site_migration where id_site = $1';
  if (!hadOldMigrations((await client.query<{ name: string }>(query, [site.id])).rows, 'site')) return;
  const record = 'insert into facteur.site_migration (id_site, name) values ($1, $2)';
  await client.query(record, [site.id, baseline]);
}

/** Whether a schema has the migrations before the baseline, unrecorded. @throws Error if it has only some of them */
function hadOldMigrations(applied: readonly { name: string }[], of: 'control' | 'site'): boolean {
  const names = applied.map(({ name }) => name);
  if (names.length === 0 || names.includes(baseline)) return false;
  if (names.includes(lastBeforeBaseline[of])) return true;
  throw new Error(
    `The database is from a version of Facteur before ${lastBeforeBaseline[of]}: ` +
      'start the last version that has this migration once, then this one',
  );
}

async function pendingOf(
  client: pg.PoolClient,
  site: Site,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const query = 'select name from facteur.site_migration where id_site = $1';
  return without((await client.query<{ name: string }>(query, [site.id])).rows, migrations);
}

/** @throws Error if a newer version has run; migrations' names begin with their number and sort in order */
function refuseNewer(applied: readonly { name: string }[], ours: readonly Migration[]): void {
  const last = ours.at(-1)!.name;
  const newer = applied.map(({ name }) => name).find((name) => name.slice(0, 4) > last.slice(0, 4));
  if (newer === undefined) return;
  throw new Error(
    `The database was migrated by a newer version of Facteur (${newer}; this one knows up to ${last}): ` +
      'use that version, or an earlier backup',
  );
}

function without(applied: readonly { name: string }[], migrations: readonly Migration[]): Migration[] {
  const names = new Set(applied.map((row) => row.name));
  return migrations.filter((migration) => !names.has(migration.name));
}

async function applyToSite(client: pg.PoolClient, site: Site, migration: Migration): Promise<void> {
  await apply(client, site.schema, migration);
  const record = 'insert into facteur.site_migration (id_site, name) values ($1, $2)';
  await client.query(record, [site.id, migration.name]);
}

async function apply(client: pg.PoolClient, schema: string, migration: Migration): Promise<void> {
  const name = identifier(schema).text;
  await client.query(`create schema if not exists ${name}`);
  // A migration writes its names bare: the path says whose they are, for this transaction only.
  await client.query(`set local search_path = ${name}`);
  await client.query(migration.text);
  await client.query('set local search_path = pg_catalog');
}
