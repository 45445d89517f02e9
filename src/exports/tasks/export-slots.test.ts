import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { startTaskRunner } from '../../platform/task-runner.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { Hold } from '../../testing/hold.ts';
import { until } from '../../testing/until.ts';
import { findExport } from '../export-store.ts';
import { finishExport } from './finish-export.ts';
import { runExport } from './run-export.ts';

let t: TestApp;
let exports: ExportTester;
beforeAll(async () => {
  t = await testApp();
  exports = new ExportTester(t);
});
afterAll(() => t.close());

it('two exports of a site run at once, whatever their numbers; a third waits in the database', async () => {
  await exports.add('a@example.com');
  const ids = [await exports.create(), await exports.create(), await exports.create()];
  // What an export reads first: each is stalled where it begins to run.
  const hold = await Hold.of(t.connection, `lock table ${t.db.site.schema}.target in access exclusive mode`);
  const runner = await startTaskRunner(t.app, [runExport, finishExport]);
  const eye = new pg.Client(t.connection);
  await eye.connect();
  try {
    await hold.reached(2);
    const waiting = async () => (await eye.query('select from facteur.waiting_job')).rowCount;
    await until(async () => (await waiting()) === 1, 'the third lies aside');
    await hold.letGo();
    const states = async () =>
      Promise.all(ids.map(async (id) => (await findExport(t.db, id))!.state)).then((all) => `${all}`);
    await until(async () => (await states()) === 'COMPLETED,COMPLETED,COMPLETED', 'all three end');
    expect(await t.app.control.rows(sql`select from facteur.waiting_job`)).toEqual([]);
  } finally {
    await eye.end();
    await runner.stop();
  }
});
