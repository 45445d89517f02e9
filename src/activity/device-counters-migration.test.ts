import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { type TestSite, testSite } from '../testing/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

it('hits of before are counted by device', async () => {
  const migrations = await readMigrations('site');
  const own = migrations.findIndex(({ name }) => name.includes('device-counters'));
  const rows = await site.db.withClient((client) =>
    inTransaction(client, async () => {
      await client.query('create schema before; set local search_path = before, facteur');
      for (const { text } of migrations.slice(0, own)) await client.query(text);
      await client.query(`
        create table hit_2026_11 partition of hit_folded for values from ('2026-11-01') to ('2026-12-01');
        insert into hit_folded (id, at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, is_viral,
          user_agent)
        select row_number() over (), '2026-11-20', kind, class, 1, is_mobile, 1, reader, is_viral, 'Mail'
        from (values (1, 1, 1, false, false), (1, 1, 2, false, true), (2, 1, 2, false, true), (5, 4, 3, false, true),
          (3, 1, 2, true, true), (1, 2, 4, false, false)) h (kind, class, reader, is_viral, is_mobile)`);
      await client.query(migrations[own]!.text);
      return (await client.query('select * from device_counter order by is_mobile')).rows;
    }),
  );
  expect(rows).toMatchObject([
    { is_mobile: false, openings: 2, openers: 2, human_openings: 1, human_openers: 1, clicks: 0 },
    {
      is_mobile: true,
      openings: 2,
      openers: 2,
      human_openings: 1,
      human_openers: 1,
      clicks: 3,
      clickers: 2,
      edito_clicks: 1,
      ad_clicks: 1,
      ad_clickers: 1,
      viral_clicks: 1,
      viral_clickers: 1,
    },
  ]);
});
