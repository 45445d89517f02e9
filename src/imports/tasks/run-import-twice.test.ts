import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { findImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

describe('runs', () => {
  test('an ended import does not run again', async () => {
    tester.put('email;name\na@example.com;x\n');
    const { id } = await tester.make({});
    await tester.run(id);
    await t.db.run(sql`delete from ${t.db.t.subscriber}`);
    await tester.run(id);
    expect(await tester.people()).toEqual([]);
  });

  test('an interrupted one restarts, and leaves no staging table', async () => {
    tester.put('email;name\na@example.com;x\n');
    const { id } = await tester.make({});
    await t.db.run(
      sql`update ${t.db.t.import} set state = 'InProgress', attempt = 1, progression = 60 where id = ${id}`,
    );
    await t.db.run(sql`create table ${t.db.name(`import_${id}_1_stage`)} (other text)`);
    expect((await tester.run(id)).lastImportLog).toMatchObject({ nbInserts: 1 });
    expect(await tester.stages()).toEqual([]);
    const tasks = await t.db.rows(sql`
      select task_identifier as name from graphile_worker.jobs where task_identifier = 'finishImport'`);
    expect(tasks.length).toBeGreaterThan(0);
  });

  test('the same one twice at once runs once', async () => {
    tester.put(`email;name\n${Array.from({ length: 5_000 }, (_, i) => `u${i}@example.com;x`).join('\n')}`);
    const { id } = await tester.make({});
    const results = await Promise.allSettled([tester.run(id), tester.run(id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await tester.people()).toHaveLength(5_000);
  });

  test('two of one site at once, over the same rows in opposite order, both end', async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => i);
    tester.put(`email;name\n${rows.map((i) => `u${i}@example.com;up`).join('\n')}`, 'up.csv');
    tester.put(
      `email;name\n${rows
        .reverse()
        .map((i) => `u${i}@example.com;down`)
        .join('\n')}`,
      'down.csv',
    );
    const [up, down] = [
      await tester.make({ filename: 'up.csv' }),
      await tester.make({ filename: 'down.csv' }),
    ];
    const logs = (await Promise.all([tester.run(up.id), tester.run(down.id)])).map(
      (done) => done.lastImportLog!,
    );
    expect(logs.map((log) => log.nbInserts).sort()).toEqual([0, 4_000]);
    const names = await t.db.rows(sql`select distinct fld101 as name from ${t.db.t.subscriber}`);
    expect(names).toHaveLength(1);
  });

  test('an address that another caller creates in the meantime is found at the next attempt', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com;file`);
    tester.put(`email;name\n${rows.join('\n')}`);
    const { id } = await tester.make({});
    const creator = (async () => {
      for (let i = 0; i < 3_000; i += 7) {
        await t.db.run(sql`
          insert into ${t.db.t.subscriber} (fld1, fld101) values (${`u${i}@example.com`}, 'api')
          on conflict do nothing`);
      }
    })();
    const done = await tester.run(id);
    await creator;
    expect(done.importState).toBe('Completed');
    expect(await tester.people()).toHaveLength(3_000);
  });

  test('one that is aborted while it merges ends there, and restarts', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => `u${i}@example.com;x`);
    tester.put(`email;name\n${rows.join('\n')}`);
    const { id } = await tester.make({});
    const ending = new AbortController();
    const other = `insert into ${t.db.site.schema}.subscriber (fld1) values ('u7@example.com')`;
    const hold = await Hold.of(t.connection, other);
    const running = runImport.run(t.app, { idSite: t.db.site.id, idImport: id }, ending.signal);
    const failed = expect(running).rejects.toMatchObject({ code: '57014' });
    await hold.reached();
    ending.abort();
    await failed;
    await hold.letGo();
    expect(await tester.people()).toEqual([]);
    expect((await tester.run(id)).lastImportLog).toMatchObject({ nbInserts: 100 });
  });

  test('an aborted one changes nothing', async () => {
    tester.put('email;name\na@example.com;x\n');
    const { id } = await tester.make({});
    const aborted = runImport.run(t.app, { idSite: t.db.site.id, idImport: id }, AbortSignal.abort());
    await expect(aborted).rejects.toThrow();
    expect((await findImport(t.db, id))!.importState).toBe('InProgress');
    expect(await tester.people()).toEqual([]);
  });
});
