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

it('an installation of before runs had logs of their own keeps the last log of each import', async () => {
  const migrations = await readMigrations('site');
  const runs = migrations.findIndex(({ name }) => name.includes('import-runs'));
  const log = '{"id": 7, "filename": "a.csv", "endDate": "2026-11-10T09:00:00.000Z", "totalRows": 12}';
  await site.db.withClient((client) =>
    inTransaction(client, async () => {
      await client.query('create schema before; set local search_path = before');
      for (const { text } of migrations.slice(0, runs)) await client.query(text);
      await client.query(
        `insert into import
           (id_user, author, parameters, created_at, state, scheduling, scheduled_at, last_log, file_read)
         values (1, 'Ada', '{}', now(), 'Scheduled', '{}', now(), null, null),
                (1, 'Ada', '{}', now(), 'Completed', '{}', now(), $1, '12 1700000000000')`,
        [log],
      );
      await client.query(migrations[runs]!.text);
    }),
  );
  const logs = await site.db.rows(sql`
    select id_import as "idImport", run, state, log, ended_at as "endedAt", file_read as "fileRead"
    from ${raw('before')}.import_log`);
  expect(logs).toEqual([
    {
      idImport: 2,
      run: 1,
      state: 'Completed',
      log: { filename: 'a.csv', endDate: '2026-11-10T09:00:00.000Z', totalRows: 12 },
      endedAt: new Date('2026-11-10T09:00:00Z'),
      fileRead: '12 1700000000000',
    },
  ]);
  expect(await site.db.rows(sql`select run, attempt from ${raw('before')}.import order by id`)).toEqual([
    { run: 1, attempt: 0 },
    { run: 1, attempt: 0 },
  ]);
});
