import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { giveUpFailedTasks } from '../../platform/failed-tasks.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { findImport } from '../import-store.ts';
import { planRun, runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
let start: string;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  start = t.clock.now().toISOString();
});
afterAll(() => t.close());
afterEach(async () => {
  t.clock.set(start);
  await tester.clear();
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
});

/** Leaves the job as the queue does after its last failure. */
async function giveUp(): Promise<void> {
  await t.db.run(sql`update graphile_worker._private_jobs set attempts = max_attempts`);
  await giveUpFailedTasks(t.app, [runImport], t.app.log);
}
const tasksLeft = async () =>
  (
    await t.db.rows<{ name: string }>(
      sql`select task_identifier as name from graphile_worker.jobs order by id`,
    )
  ).map(({ name }) => name);

/** A bad row needs a file in this folder, which cannot be made as long as `work` runs. */
async function withoutFolder(work: () => Promise<unknown>): Promise<void> {
  const folder = join(t.dataDir, 'sftp/.import-errors');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, '');
  await work().finally(() => rmSync(folder));
}
const later = (ms: number) => t.clock.set(new Date(t.clock.now().getTime() + ms).toISOString());
/** Returns the seconds until the next attempt. */
async function pauseOf(id: number): Promise<number> {
  const times = Object.values(await tester.jobsOf(id));
  expect(times).toHaveLength(1);
  return (Date.parse(times[0]!) - t.clock.now().getTime()) / 1_000;
}
const trouble = "An error inside the service; the service's log says more";

test('an import that fails is retried after pauses that double, to ten minutes, for 22 hours', async () => {
  const { id } = await tester.make({});
  tester.put('email;name\nbad;x\n');
  const pauses: number[] = [];
  await withoutFolder(async () => {
    for (let passed = 0; passed < 3_000; passed += pauses.at(-1)!) {
      await t.db.run(sql`delete from graphile_worker._private_jobs`);
      await tester.run(id);
      pauses.push(await pauseOf(id));
      later(pauses.at(-1)! * 1_000);
    }
    expect(pauses).toEqual([10, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600]);
    expect((await findImport(t.db, id))!.importState).toBe('InProgress');
    later(22 * 3_600_000);
    await t.db.run(sql`delete from graphile_worker._private_jobs`);
    await tester.run(id);
  });
  expect((await findImport(t.db, id))!).toMatchObject({
    importState: 'PackageErrorCreation',
    lastImportLog: {
      filename: 'people.csv',
      totalRows: 0,
      errorMessage: `The import failed for 22 hours and is given up: ${trouble}`,
    },
  });
  expect(await tasksLeft()).toEqual(['finishImport']);
});

test('one that fares better at a later try is done once, and nothing is remembered', async () => {
  const { id } = await tester.make({});
  tester.put('email;name\nbad;x\na@example.com;y\n');
  await withoutFolder(() => tester.run(id));
  later(10_000);
  expect(await tester.run(id)).toMatchObject({ importState: 'Completed', lastImportLog: { nbInserts: 1 } });
  expect(await t.db.rows(sql`select trouble, failing_since from ${t.db.t.import} where id = ${id}`)).toEqual([
    { trouble: null, failing_since: null },
  ]);
});

test('one that was paused between its attempts restarts when it is resumed', async () => {
  const { id } = await tester.make({});
  tester.put('email;name\nbad;x\n');
  await withoutFolder(async () => {
    await tester.run(id);
    await t.call('POST', `/imports/${id}/pause`);
    later(23 * 3_600_000);
    await t.call('POST', `/imports/${id}/resume`);
    await t.db.run(sql`delete from graphile_worker._private_jobs`);
    await tester.run(id);
  });
  expect(await pauseOf(id)).toBe(10);
});

test('a failed one whose process is killed from then on ends with its reason, and with its notice', async () => {
  const { id } = await tester.make({});
  tester.put('email;name\nbad;x\n');
  await withoutFolder(() => tester.run(id));
  await giveUp();
  expect((await findImport(t.db, id))!.lastImportLog!.errorMessage).toBe(
    `The import failed 12 times and is given up: ${trouble}`,
  );
  expect(await tasksLeft()).toEqual(['finishImport']);
});

test('one whose process was killed at every attempt ends as well', async () => {
  const { id } = await tester.make({});
  await planRun(t.db, id, 1, t.clock.now());
  await giveUp();
  expect((await findImport(t.db, id))!.lastImportLog!.errorMessage).toContain(
    'the process that ran it ended',
  );
});

test('a recurring one continues with its next run', async () => {
  const { id } = await tester.schedule({
    isRecurring: true,
    recurringInfos: { frequencyUnits: 'Day', time: '02:30:00' },
  });
  t.clock.set('2026-11-21T05:00:00Z');
  await giveUp();
  expect(await findImport(t.db, id)).toMatchObject({
    importState: 'Scheduled',
    schedulingInfos: { scheduledDate: '2026-11-22T01:30:00.000Z' },
    lastImportLog: { errorMessage: expect.stringContaining('given up') },
  });
  expect(await tester.jobsOf(id)).toEqual({ 2: '2026-11-22T01:30:00.000Z' });
});

test.each(['pause', 'delete'])('one with a %s in the meantime stays as it is', async (what) => {
  const { id } = await tester.make({});
  await planRun(t.db, id, 1, t.clock.now());
  await (what === 'pause' ? t.call('POST', `/imports/${id}/pause`) : t.call('DELETE', `/imports/${id}`));
  await giveUp();
  expect((await findImport(t.db, id))!.lastImportLog).toBeNull();
  expect(await tasksLeft()).toEqual([]);
});
