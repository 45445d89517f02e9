import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { type TestSite, testSite } from '../testing/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

it('bounces of before know whose message was accepted, by whichever row of receipts has them', async () => {
  const migrations = await readMigrations('site');
  const own = migrations.findIndex(({ name }) => name.includes('accepted-bounces'));
  const rows = await site.db.withClient((client) =>
    inTransaction(client, async () => {
      await client.query('create schema before; set local search_path = before, facteur');
      for (const { text } of migrations.slice(0, own)) await client.query(text);
      // Rows of receipts that lie over each other, as those of a range that was paused for weeks; of 4 nothing is known
      // yet. Somebody else of the same number is in another sent.
      await client.query(`
        insert into receipt_range (id_sent, first_subscriber, last_subscriber, subscribers, states, codes,
          id_providers, first_at, last_at, delays)
        values (1, 1, 9, '{1,2,9}', '{1,2,1}', '{250,550,250}', '{0,0,0}', now(), now(), '{0,0,0}'),
          (1, 3, 8, '{3,5,8}', '{4,1,3}', '{0,250,451}', '{0,0,0}', now(), now(), '{0,0,0}'),
          (2, 4, 4, '{4}', '{1}', '{250}', '{0}', now(), now(), '{0}')`);
      await client.query(`
        insert into bounce (id_sent, id_subscriber, class, at, digest, is_refusal)
        select 1, n, 1, now(), sha256(n::text::bytea), n = 2 from unnest('{1,2,3,4,5,8,9}'::int[]) n
        union all
        select 1, 1, 2, now(), 'another', false`);
      await client.query(migrations[own]!.text);
      return (await client.query(`select id_subscriber as id, is_accepted from bounce order by id, class`))
        .rows;
    }),
  );
  expect(rows.map(({ id, is_accepted }) => [id, is_accepted])).toEqual([
    [1, true],
    [1, true],
    [2, false],
    [3, false],
    [4, false],
    [5, true],
    [8, false],
    [9, true],
  ]);
});
