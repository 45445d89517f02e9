import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { Hold } from '../../testing/hold.ts';
import { kill, startWork } from '../../testing/programs.ts';
import { until } from '../../testing/until.ts';
import { findImport, insertImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

const rows = 20_000;

let t: TestApp;
let idImport: number;

beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
  const folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: rows }, (_, i) => `u${i}@example.com;after`);
  writeFileSync(join(folder, 'people.csv'), `email;name\n${lines.join('\n')}\n`);
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld101)
    select 'u' || i || '@example.com', 'before' from generate_series(0, ${rows - 1}, 2) i`);
  const parameters = {
    filename: 'people.csv',
    columnMapping: [
      { dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' },
      { dbFieldName: 'fld101', idMappingMode: 1, fileColumnName: 'name' },
    ],
  };
  const at = t.clock.now();
  idImport = (await insertImport(t.db, { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at })).id;
});
afterAll(() => t.close());

const counts = () =>
  t.db.rows(sql`
    select fld101 as name, count(*)::int as nb from ${t.db.t.subscriber} group by 1 order by 1`);
const before = [{ name: 'before', nb: rows / 2 }];
const after = [{ name: 'after', nb: rows }];

function start(): ChildProcess {
  return startWork(t, { imports: [idImport] });
}
async function progression(): Promise<number> {
  return (
    await t.db.one<{ nb: number }>(sql`select progression as nb from ${t.db.t.import} where id = ${idImport}`)
  ).nb;
}
/** The dead process' connections are cleared away when its statement has ended. */
const isCleared = async () => {
  const others = await t.db.one<{ nb: number }>(sql`
    select count(*) as nb from pg_stat_activity
    where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`);
  return others.nb === 0;
};

test('killed -9 in the merge, whatever the pace of the machine, an import has changed nobody', async () => {
  const hold = await Hold.of(t.connection, `lock table ${t.db.site.schema}.subscriber in share mode`);
  const child = start();
  await hold.reached();
  await kill(child);
  expect(child.signalCode).toBe('SIGKILL');
  await hold.letGo();
  await until(isCleared, 'the killed connection to go');
  expect(await counts()).toEqual(before);
});

test('killed -9 while it reads or merges, an import has happened whole or not at all, and restarts', async () => {
  for (const percent of [10, 40, 60, 80]) {
    const child = start();
    // A killed run's state is left as it was, so the number seen must be of this run.
    await t.db.run(sql`update ${t.db.t.import} set progression = 0 where id = ${idImport}`);
    await until(
      async () => child.exitCode !== null || (await progression()) >= percent,
      `${percent} %`,
      60_000,
    );
    await kill(child);
    await until(isCleared, 'the killed connections to go');
    const isAfter = (await findImport(t.db, idImport))!.importState === 'Completed';
    expect(await counts()).toEqual(isAfter ? after : before);
    if (isAfter) return;
  }
  await runImport.run(t.app, { idSite: t.db.site.id, idImport }, new AbortController().signal);
  expect((await findImport(t.db, idImport))!.lastImportLog).toMatchObject({
    nbUpdates: rows / 2,
    nbInserts: rows / 2,
  });
  expect(await counts()).toEqual(after);
  const left = await t.db.rows(sql`select tablename from pg_tables where tablename like 'import%stage'`);
  expect(left).toEqual([]);
}, 300_000);
