import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { giveUpFailedJobs } from '../../platform/failed-jobs.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportTester } from '../../testing/import-tester.ts';
import { findImport } from '../import-store.ts';
import { planRun, runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
  tester = new ImportTester(t);
});
afterAll(() => t.close());
afterEach(async () => {
  await tester.clear();
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
});

/** As the queue leaves a job that failed for the last time. */
async function giveUp(): Promise<void> {
  await t.db.run(sql`update graphile_worker._private_jobs set attempts = max_attempts`);
  await giveUpFailedJobs(t.app, [runImport], t.app.log);
}
const tasksLeft = async () =>
  (
    await t.db.rows<{ name: string }>(
      sql`select task_identifier as name from graphile_worker.jobs order by id`,
    )
  ).map(({ name }) => name);

test('an import that fails at every try ends with its reason, which names no path, and with its notice', async () => {
  const { id } = await tester.make({});
  await planRun(t.db, id, 1, t.clock.now());
  tester.put('email;name\nbad;x\n');
  // A bad row needs a file in this folder, which cannot be made.
  const folder = join(t.dataDir, 'import-errors');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, '');
  await expect(tester.run(id)).rejects.toThrow();
  rmSync(folder);
  expect((await findImport(t.db, id))!.importState).toBe('InProgress');
  await giveUp();
  const found = (await findImport(t.db, id))!;
  expect(found).toMatchObject({
    importState: 'PackageErrorCreation',
    lastImportLog: { filename: 'people.csv', totalRows: 0 },
  });
  expect(found.lastImportLog!.errorMessage).toBe(
    "The import failed 12 times and is given up: An error inside the service; the service's log says more",
  );
  expect(await tasksLeft()).toEqual(['finishImport']);
});

test('one whose process was killed at every try ends as well', async () => {
  const { id } = await tester.make({});
  await planRun(t.db, id, 1, t.clock.now());
  await giveUp();
  expect((await findImport(t.db, id))!.lastImportLog!.errorMessage).toContain(
    'the process that ran it ended',
  );
});

test('a recurring one goes on with its next run', async () => {
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

test.each(['pause', 'delete'])('one that has a %s meanwhile stays as it is', async (what) => {
  const { id } = await tester.make({});
  await planRun(t.db, id, 1, t.clock.now());
  await (what === 'pause' ? t.call('POST', `/imports/${id}/pause`) : t.call('DELETE', `/imports/${id}`));
  await giveUp();
  expect((await findImport(t.db, id))!.lastImportLog).toBeNull();
  expect(await tasksLeft()).toEqual([]);
});
