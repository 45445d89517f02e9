import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { type TestSite, testSite } from '../testing/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

const columns = `id, at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral, user_agent,
  address`;

it('an installation that kept a row for each hit that waits has all of them afterwards, and goes on', async () => {
  const migrations = await readMigrations('site');
  const batches = migrations.findIndex(({ name }) => name.includes('hit-batches'));
  const before = await site.db.withClient((client) =>
    inTransaction(client, async () => {
      await client.query('create schema before; set local search_path = before, facteur');
      for (const { text } of migrations.slice(0, batches)) await client.query(text);
      await client.query(`
        insert into hit_new (at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral,
          user_agent, address)
        select timestamptz '2026-11-20 10:00:00.123+00' + n * interval '1 ms', 1 + n % 5, 1 + n % 4, 1, n % 2 = 0, 5,
          n, case when n % 3 = 0 then n + 5000000000 end, n % 7 = 0, 'agent "' || n % 9,
          case when n % 2 = 0 then '192.0.2.1' else '2001:db8::1' end::inet
        from generate_series(1, 2500) n`);
      await client.query(`
        create table hit_2026_11 (like hit_folded including defaults);
        alter table hit_folded attach partition hit_2026_11
          for values from ('2026-11-01 00:00:00+00') to ('2026-12-01 00:00:00+00');
        update hit set is_folded = true where id_subscriber <= 100`);
      const { rows } = await client.query(`select ${columns} from hit order by id_subscriber`);
      await client.query(migrations[batches]!.text);
      return rows;
    }),
  );
  const schema = raw('before');
  // A hit's own number gives way to that of its batch, which comes after all of before.
  const without = (rows: readonly Record<string, unknown>[]) => rows.map(({ id: _, ...row }) => row);
  const after = await site.db.rows(sql`select ${raw(columns)} from ${schema}.hit order by id_subscriber`);
  expect(before).toHaveLength(2500);
  expect(without(after)).toEqual(without(before));
  const parts = await site.db.rows(sql`
    select size, (select count(*) from ${schema}.hit_new h where h.id = b.id) as hits, id > 2500 as "isAfter"
    from ${schema}.hit_batch b order by id`);
  expect(parts).toEqual([
    { size: 1000, hits: 1000, isAfter: true },
    { size: 1000, hits: 1000, isAfter: true },
    { size: 400, hits: 400, isAfter: true },
  ]);
  const folded = await site.db.one(sql`select count(*) as n from ${schema}.hit_2026_11`);
  expect(folded).toEqual({ n: 100 });
  // The numbers go on, and the months give none any more.
  await site.db.run(sql`insert into ${schema}.hit_batch (size, hits) values (0, '')`);
  const defaults = await site.db.rows(sql`
    select column_name as name from information_schema.columns
    where table_schema = 'before' and table_name in ('hit_folded', 'hit_2026_11') and column_default like 'nextval%'`);
  expect(defaults).toEqual([]);
});
