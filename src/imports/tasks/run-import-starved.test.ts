import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import { until } from '../../testing/until.ts';
import { findImport } from '../import-store.ts';

let t: TestApp;
let imports: ImportTester;
beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
  imports = new ImportTester(t);
});
afterAll(() => t.close());

it('a merge ends while every other connection is taken by callers who wait for it', async () => {
  await imports.add('a@example.org', 'old');
  imports.put('email;name\r\na@example.org;new\r\n');
  const { id } = await imports.make({});
  const [outside, eye] = [new pg.Client(t.connection), new pg.Client(t.connection)];
  await Promise.all([outside.connect(), eye.connect()]);
  const { pool } = t.app.control;
  const taken: pg.PoolClient[] = [];
  try {
    // The merge stops at this row, its transaction open.
    await outside.query(`begin; select from ${t.db.site.schema}.subscriber for update`);
    const running = imports.run(id);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await eye.query(waiting)).rowCount === 1, 'the merge waits for the row');
    while (pool.totalCount < pool.options.max || pool.idleCount > 0) taken.push(await pool.connect());
    await outside.query('rollback');
    const ended = `select from ${t.db.site.schema}.import where id = ${id} and state = 'Completed'`;
    await until(async () => (await eye.query(ended)).rowCount === 1, 'the import ends');
    for (const client of taken.splice(0)) client.release();
    await running;
  } finally {
    for (const client of taken) client.release();
    await Promise.all([outside.end(), eye.end()]);
  }
  expect((await findImport(t.db, id))?.lastImportLog).toMatchObject({ nbUpdates: 1 });
});
