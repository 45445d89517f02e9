import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase, serverConnection, type TestDatabase } from '../../testing/database.ts';
import { openDatabase } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';

describe('migrations', () => {
  let cloned: TestDatabase;
  beforeEach(async () => {
    cloned = await cloneDatabase();
  });
  afterEach(() => cloned.close());

  it('are numbered without gaps or doubles', async () => {
    for (const of of ['control', 'site'] as const) {
      const numbers = (await readMigrations(of)).map(({ name }) => Number(name.slice(0, 4)));
      expect(numbers).toEqual(numbers.map((_, i) => i + numbers[0]!));
    }
  });

  it('bring a site of an older version up at the next start, and leave the others alone', async () => {
    const { pool } = cloned.database;
    const all = await readMigrations('site');
    // The last one that a look at the columns can tell, with those behind it.
    const from = all.findLastIndex(({ text }) => /^(create|alter) table /m.test(text));
    const missing = all.slice(from).map(({ name }) => name);
    const relations = `
      select string_agg(relname || '.' || attname, ' ' order by relname, attnum) as names
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where relnamespace = 'site_other'::regnamespace and not attisdropped`;
    const now = (await pool.query(relations)).rows[0].names;
    // As if `other` had been made before these migrations, and never brought up since.
    const before = all.slice(0, from).map(({ text }) => text);
    await pool.query(`
      drop schema site_other cascade; create schema site_other; set search_path = site_other;
      ${before.join(';\n')}; set search_path = facteur`);
    expect((await pool.query(relations)).rows[0].names).not.toBe(now);
    await pool.query(
      `delete from facteur.site_migration
       where name = any($1) and id_site = (select id from facteur.site where name = 'other')`,
      [missing],
    );
    await migrate(cloned.database);
    expect((await pool.query(relations)).rows[0].names).toBe(now);
  });

  it('rename the members of frozen messages, and change no text of a user', async () => {
    const { pool } = cloned.database;
    const text = 'says "placing": 1 and "placings": 2';
    const old = { segments: [{ content: { text, placings: [7], links: [{ url: 'x', placing: 7 }] } }] };
    const { rows } = await pool.query(
      `with campaign as (
         insert into site_other.campaign (id_user, author, name, parameters, created_at, updated_at)
         values (1, 'Ada', 'News', '{}', now(), now()) returning id)
       insert into site_other.job (id_campaign, is_test, state, author, campaign_name, subject, created_at,
         scheduled_at, nb_segments, frozen)
       select id, false, 'Sending', 'Ada', 'News', 'Hello', now(), now(), 1, $1 from campaign returning id`,
      [JSON.stringify(old)],
    );
    const { text: migration } = (await readMigrations('site')).find(({ name }) => name.startsWith('0101'))!;
    await pool.query(`begin; set local search_path = site_other; ${migration}; commit`);
    const after = await pool.query('select frozen from site_other.job where id = $1', [rows[0].id]);
    expect(after.rows[0].frozen).toEqual({
      segments: [{ content: { text, placements: [7], links: [{ url: 'x', placement: 7 }] } }],
    });
  });

  it('run once when processes start together', async () => {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const server = new pg.Client(serverConnection());
    await server.connect();
    await server.query(`create database ${name}`);
    const pools = [1, 2, 3].map(() =>
      openDatabase({ ...serverConnection(), database: name, max: 2 }, () => undefined),
    );
    try {
      await Promise.all(pools.map((database) => migrate(database)));
      const { rows } = await pools[0]!.pool.query('select name from facteur.migration order by name');
      expect(rows.map((row) => row.name)).toEqual((await readMigrations('control')).map((one) => one.name));
    } finally {
      await Promise.all(pools.map((database) => database.pool.end()));
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    }
  });

  it.each([
    ['migration', `insert into facteur.migration (name) values ('9000-later.sql')`],
    [
      'site_migration',
      `insert into facteur.site_migration (id_site, name) select max(id), '9000-later.sql' from facteur.site`,
    ],
  ])('are refused, with nothing done, after a newer version has run: %s', async (_table, insert) => {
    const { pool } = cloned.database;
    await pool.query(insert);
    // What an older one would make again.
    const forget = `delete from facteur.site_migration where name =
      (select max(name) from facteur.site_migration where name < '9')`;
    await pool.query(forget);
    const recorded = async () =>
      (await pool.query('select count(*)::int as n from facteur.site_migration')).rows[0].n;
    const before = await recorded();
    await expect(migrate(cloned.database)).rejects.toThrow(
      /^The database was migrated by a newer version of Facteur \(9000-later\.sql; this one knows up to \d{4}-/,
    );
    expect(await recorded()).toBe(before);
  });

  it('adopt a database that the migrations before the baseline have made, and refuse an older one', async () => {
    const { pool } = cloned.database;
    const rename = (table: string, from: string, to: string) =>
      pool.query(`update facteur.${table} set name = $2 where name = $1`, [from, to]);
    const recorded = async () =>
      (
        await pool.query(`
          select name from facteur.migration union select name from facteur.site_migration order by name`)
      ).rows.map(({ name }) => name);
    const later = (await recorded()).filter((name) => name > '0101');
    await rename('migration', '0100-baseline.sql', '0023-provider-mx.sql');
    await rename('site_migration', '0100-baseline.sql', '0046-single-sends.sql');
    await expect(migrate(cloned.database)).rejects.toThrow(
      /before 0047-page-looks\.sql: start the last version/,
    );
    await rename('site_migration', '0046-single-sends.sql', '0047-page-looks.sql');
    await migrate(cloned.database);
    expect(await recorded()).toEqual([
      '0023-provider-mx.sql',
      '0047-page-looks.sql',
      '0100-baseline.sql',
      ...later,
    ]);
  });

  it('leave nothing of one that fails', async () => {
    const { pool } = cloned.database;
    // The control schema has lost a record, so its migration runs again and fails: its column was renamed before.
    await pool.query(`delete from facteur.migration where name like '0101%'`);
    await expect(migrate(cloned.database)).rejects.toThrow(/column "lane" does not exist/);
    const { rows } = await pool.query(
      `select count(*)::int as count from facteur.migration where name like '0101%'`,
    );
    expect(rows[0].count).toBe(0);
  });
});
