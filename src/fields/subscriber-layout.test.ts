import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMigrations } from '../platform/db/migrate.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';

/** The migration that orders the columns of subscribers anew, on a site that already has some. */
let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

const types = ['bigint', 'text', 'timestamptz', 'boolean', 'integer'];
const custom = Array.from({ length: 30 }, (_, i) => ({
  name: `fld${101 + i}`,
  type: types[i % types.length]!,
}));

async function tableOf(schema: string) {
  const pool = t.app.control;
  const table = raw(`${schema}.subscriber`);
  const rows = await pool.rows(sql`select to_jsonb(s) as row from ${table} s order by fld0`);
  const columns = await pool.rows<{ name: string }>(sql`
    select attname as name, format_type(atttypid, atttypmod) as type, attnotnull, attidentity, attgenerated,
      pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where attrelid = ${table.text}::regclass and attnum > 0 and not attisdropped and attname !~ '^free'
    order by attname`);
  const indexes = await pool.rows(sql`
    select indexname, indexdef from pg_indexes where schemaname = ${schema} and tablename = 'subscriber' order by 1`);
  const checks = await pool.rows(sql`
    select conname, pg_get_constraintdef(oid) as text from pg_constraint
    where conrelid = ${table.text}::regclass and contype <> 'n' order by 1`);
  return { rows, columns, indexes, checks };
}

test('rows, ids, custom fields, indexes and rules stay as they were', async () => {
  const migrations = await readMigrations('site');
  const at = migrations.findIndex(({ name }) => name.includes('subscriber-layout'));
  const texts = (from: number, to: number) =>
    migrations
      .slice(from, to)
      .map(({ text }) => text)
      .join(';\n');
  await t.db.transaction(async (tx) => {
    const run = (text: string) => tx.run(raw(text));
    await run('create schema site_older');
    await run('set local search_path = site_older');
    for (const { text } of migrations.slice(0, at)) await run(text);
    // A change of type leaves a dropped column behind.
    await run('alter table subscriber add fld999 int; alter table subscriber drop fld999');
    for (const { name, type } of custom) await run(`alter table subscriber add ${name} ${type}`);
    await run(`
      insert into subscriber (fld1, fld5, fld7, fld40, fld41, fld43, fld44, fld101, fld102, fld103, fld104, fld105,
        fld126)
      select 'a' || i || '@Example.com', case when i % 3 = 0 then 'fair' end, i % 2, '75001', 'FR', i, i % 4,
        i, 'text', now(), true, i, -i
      from generate_series(1, 1000) i`);
    await run('delete from subscriber where fld0 > 990');
  });
  const before = await tableOf('site_older');
  expect(before.rows).toHaveLength(990);

  await t.db.transaction(async (tx) => {
    await tx.run(sql`set local search_path = site_older`);
    await tx.run(raw(texts(at, at + 1)));
  });
  const after = await tableOf('site_older');
  const withoutFree = after.rows.map(({ row }) => ({
    row: Object.fromEntries(Object.entries(row as object).filter(([name]) => !name.startsWith('free'))),
  }));
  expect({ ...after, rows: withoutFree }).toEqual(before);

  // No id is given twice, those of subscribers who are gone included.
  const { id } = await t.db.one(sql`
    insert into site_older.subscriber (fld1) values ('new@example.com') returning fld0 as id`);
  expect(id).toBe(1001);
});
