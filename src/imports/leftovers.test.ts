import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import type { TestApp } from '../testing/app.ts';
import { Hold } from '../testing/hold.ts';
import { type ImportTester, importApp } from '../testing/import-tester.ts';
import { clearLeftovers, errorsFolder } from './leftovers.ts';
import { clearImportLeftovers } from './tasks/clear-import-leftovers.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());

test('what killed attempts left is removed; other files, or those in use, stay', async () => {
  const running = (await tester.make({})).id;
  await t.db.run(sql`update ${t.db.t.import} set state = 'InProgress', attempt = 3 where id = ${running}`);
  const names = [
    `import_${running}_2_stage`,
    `import_${running}_3_stage`,
    'import_99_1_stage',
    'import_98_stage',
  ];
  for (const name of [...names, 'import_stage', 'important_1_1_stage'])
    await t.db.run(sql`create table ${t.db.name(name)} ()`);
  await clearLeftovers(t.db, t.dataDir);
  const left = await t.db.rows<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = ${t.db.site.schema} and tablename ~ '_stage$'
    order by 1`);
  expect(left.map(({ name }) => name)).toEqual(
    ['import_stage', `import_${running}_3_stage`, 'important_1_1_stage'].sort(),
  );
});

test('a table that somebody still holds is left for the next run', async () => {
  await t.db.run(sql`create table ${t.db.name('import_77_1_stage')} ()`);
  const hold = await Hold.of(
    t.connection,
    `lock table ${t.db.site.schema}.import_77_1_stage in row exclusive mode`,
  );
  await clearLeftovers(t.db, t.dataDir);
  await hold.letGo();
  expect(await tester.stages()).toContainEqual({ tablename: 'import_77_1_stage' });
  await clearLeftovers(t.db, t.dataDir);
  expect(await tester.stages()).not.toContainEqual({ tablename: 'import_77_1_stage' });
});

test('files of rejected rows that killed attempts left are removed, not those of others', async () => {
  const [running, ended] = [(await tester.make({})).id, (await tester.make({})).id];
  await t.db.run(sql`update ${t.db.t.import} set state = 'InProgress', attempt = 3 where id = ${running}`);
  const waiting = `${ended}-2.csv`;
  await t.db.run(sql`
    insert into ${t.db.t.import_log} (id_import, run, state, log, ended_at, errors_file)
    values (${ended}, 1, 'Completed', '{}', now(), ${waiting})`);
  const [folder, others] = [errorsFolder(t.dataDir, t.db), errorsFolder(t.dataDir, t.otherDb)];
  for (const one of [folder, others]) mkdirSync(one, { recursive: true });
  for (const name of [`${running}-2.csv`, `${running}-3.csv`, `${ended}-1.csv`, waiting])
    writeFileSync(join(folder, name), '');
  writeFileSync(join(others, '1-1.csv'), '');
  await clearLeftovers(t.db, t.dataDir);
  expect(readdirSync(folder).sort()).toEqual([`${running}-3.csv`, waiting].sort());
  expect(readdirSync(others)).toEqual(['1-1.csv']);
});

test('an hourly job clears all sites, even where no import ever runs again', async () => {
  for (const db of [t.db, t.otherDb]) await db.run(sql`create table ${db.name('import_88_1_stage')} ()`);
  await clearImportLeftovers.run(t.app, {}, new AbortController().signal);
  for (const db of [t.db, t.otherDb]) {
    const left = await db.rows(sql`
      select from pg_tables where schemaname = ${db.site.schema} and tablename = 'import_88_1_stage'`);
    expect(left).toEqual([]);
  }
});
