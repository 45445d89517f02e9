import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { giveUpFailedTasks } from '../../platform/failed-tasks.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { findExport } from '../export-store.ts';
import { findLostExports } from './find-lost-exports.ts';
import { runExport } from './run-export.ts';

let t: TestApp;
let tester: ExportTester;
beforeAll(async () => {
  t = await testApp();
  tester = new ExportTester(t);
});
afterAll(() => t.close());
afterEach(() => tester.clear());

const look = () => findLostExports.run(t.app, {}, new AbortController().signal);
const jobs = sql`graphile_worker._private_jobs`;
const lose = () => t.db.run(sql`delete from ${jobs}`);
const idsQueued = async () => (await tester.jobs('runExport')).map(({ payload }) => payload.idExport);

describe('an export whose task was lost', () => {
  it.each(['SCHEDULED', 'RUNNING'])('has it added again when it is %s, once', async (state) => {
    const id = await tester.create();
    await t.db.run(sql`update ${t.db.t.export_job} set state = ${state}`);
    await lose();
    await Promise.all([look(), look(), look()]);
    expect(await idsQueued()).toEqual([id]);
    expect((await tester.run(id)).state).toBe('COMPLETED');
  });
});

describe('an export that is not lost is left alone', () => {
  it.each([
    ['waits', sql`attempts = 0`],
    ['runs, be it the last try', sql`attempts = max_attempts, locked_at = now(), locked_by = 'somebody'`],
    ['failed at every try and is to be given up', sql`attempts = max_attempts`],
  ])('while its task %s', async (_what, change) => {
    const id = await tester.create();
    await t.db.run(sql`update ${jobs} set ${change}`);
    await look();
    expect(await idsQueued()).toEqual([id]);
  });

  it('while its task is parked until a permit is free', async () => {
    const idExport = await tester.create();
    await lose();
    const payload = JSON.stringify({ idSite: t.db.site.id, idExport });
    await t.app.control.run(sql`
      insert into facteur.waiting_job (semaphore, task, payload, max_attempts)
      values ('semaphore', 'runExport', ${payload}, 12)`);
    await look();
    await t.app.control.run(sql`delete from facteur.waiting_job`);
    expect(await idsQueued()).toEqual([]);
  });

  it.each(['COMPLETED', 'FAILED'])('when it is %s', async (state) => {
    await tester.create();
    await t.db.run(sql`update ${t.db.t.export_job} set state = ${state}`);
    await lose();
    await look();
    expect(await idsQueued()).toEqual([]);
  });

  it('and fails when its processes were killed at every attempt: nothing restarts it', async () => {
    const id = await tester.create();
    await t.db.run(sql`update ${jobs} set attempts = max_attempts`);
    await look();
    await giveUpFailedTasks(t.app, [runExport], t.app.log);
    await look();
    expect((await findExport(t.db, id))!.state).toBe('FAILED');
    expect(await idsQueued()).toEqual([]);
  });
});
