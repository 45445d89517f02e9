import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { giveUpFailedTasks } from '../../platform/failed-tasks.ts';
import { startTaskRunner } from '../../platform/task-runner.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { until } from '../../testing/until.ts';
import { findLog } from '../import-log-store.ts';
import { findImport } from '../import-store.ts';
import { findLostErrorFiles, findLostImports } from './find-lost-imports.ts';
import { deliverErrors } from './finish-import.ts';
import { planRun, runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(async () => {
  await tester.clear();
  await lose();
  await t.db.run(sql`delete from ${t.db.t.import}`);
});

const { signal } = new AbortController();
const look = () => findLostImports.run(t.app, {}, signal);
const jobs = sql`graphile_worker._private_jobs`;
const lose = async () => {
  await t.db.run(sql`delete from ${jobs}`);
  await t.app.control.run(sql`delete from facteur.waiting_job`);
};
const later = () => new Date(t.clock.now().getTime() + 600_000);
const idOf = async () => (await tester.make({})).id;

/** An import that is planned as the operations do. */
async function planned(): Promise<number> {
  const id = await idOf();
  await planRun(t.db, id, 1, later());
  return id;
}
/** Jobs of the queue with their payloads, the oldest first. */
const queued = () =>
  t.db.rows<{ attempts: number; payload: object; runAt: Date }>(
    sql`select attempts, payload, run_at as "runAt" from ${jobs} order by id`,
  );
const payloadOf = (idImport: number, run = 1) => ({ idSite: t.db.site.id, idImport, run });

describe('an import whose task was lost', () => {
  it('has it added again, for its time, once', async () => {
    const { id } = await tester.schedule({ scheduledDate: later().toISOString() });
    await lose();
    await Promise.all([look(), look(), look()]);
    expect(await queued()).toMatchObject([{ attempts: 0, runAt: later(), payload: payloadOf(id) }]);
  });

  it('is run, with nothing of it left in the queue', async () => {
    tester.put('email;name\na@example.com;x\n');
    const id = await idOf();
    await look();
    const runner = await startTaskRunner(t.app, [runImport]);
    try {
      const isDone = async () => (await findImport(t.db, id))!.importState === 'Completed';
      await until(isDone, 'the import ends');
    } finally {
      await runner.stop();
    }
    expect(await tester.people()).toHaveLength(1);
  });

  it('is run when it had failed before, and waits for its next attempt', async () => {
    const id = await idOf();
    await t.db.run(sql`
      update ${t.db.t.import} set state = 'InProgress', trouble = 'The server is away', started_at = ${t.clock.now()}
      where id = ${id}`);
    await look();
    expect(await queued()).toMatchObject([{ payload: payloadOf(id) }]);
  });

  it('has the run that is next, whatever is left of the one before', async () => {
    const { id } = await tester.schedule({
      isRecurring: true,
      recurringInfos: { frequencyUnits: 'Day', time: '02:30:00' },
    });
    await t.db.run(sql`update ${t.db.t.import} set run = 2 where id = ${id}`);
    await look();
    expect(await queued()).toMatchObject([{ payload: payloadOf(id, 1) }, { payload: payloadOf(id, 2) }]);
  });

  it('has it although another site has a job of the same numbers', async () => {
    const id = await idOf();
    const idSite = t.otherDb.site.id;
    await planRun(t.otherDb, id, 1, later());
    await look();
    expect(await queued()).toMatchObject([{ payload: { idSite } }, { payload: payloadOf(id) }]);
  });
});

describe('an import that is not lost is left alone', () => {
  it.each([
    ['waits', sql`attempts = 0`],
    ['runs, be it the last try', sql`attempts = max_attempts, locked_at = now(), locked_by = 'somebody'`],
    ['failed at every try and is to be given up', sql`attempts = max_attempts`],
    ['is of before runs had numbers', sql`payload = (payload::jsonb - 'run')::json`],
  ])('while its task %s', async (_what, change) => {
    await planned();
    await t.db.run(sql`update ${jobs} set ${change}`);
    const before = await queued();
    await look();
    expect(await queued()).toEqual(before);
  });

  it('while its task is parked until a permit is free', async () => {
    const id = await idOf();
    await t.app.control.run(sql`
      insert into facteur.waiting_job (semaphore, task, payload, max_attempts)
      values ('semaphore', 'runImport', ${JSON.stringify(payloadOf(id))}, 12)`);
    await look();
    expect(await queued()).toEqual([]);
  });

  it('when it is Paused, has ended, or is deleted', async () => {
    const [paused, deleted] = [await planned(), await planned()];
    await t.call('POST', `/imports/${paused}/pause`);
    await t.call('DELETE', `/imports/${deleted}`);
    for (const state of ['Completed', 'PackageErrorCreation'])
      await t.db.run(sql`update ${t.db.t.import} set state = ${state} where id = ${await idOf()}`);
    await lose();
    await look();
    expect(await queued()).toEqual([]);
  });

  it('and ends when its processes were killed at every attempt: nothing restarts it', async () => {
    const id = await planned();
    await t.db.run(sql`update ${jobs} set attempts = max_attempts`);
    await look();
    await giveUpFailedTasks(t.app, [runImport], t.app.log);
    await look();
    expect((await findImport(t.db, id))!.importState).toBe('PackageErrorCreation');
    expect(
      await t.db.rows(sql`select from graphile_worker.jobs where task_identifier = 'runImport'`),
    ).toEqual([]);
  });
});

describe('a file of rejected rows whose task was lost', () => {
  const lookForFiles = () => findLostErrorFiles.run(t.app, {}, signal);
  const isThere = () => existsSync(join(tester.folder, 'people.csv.errors.csv'));

  /** The log of a run with a refused row, whose file is not delivered yet. */
  async function refused(): Promise<{ idImport: number; idLog: number }> {
    const idImport = await idOf();
    tester.put('email;name\nbad;x\n');
    await runImport.run(t.app, payloadOf(idImport), signal);
    return { idImport, idLog: (await findLog(t.db, idImport))!.log.id };
  }

  it('is delivered', async () => {
    const { idImport, idLog } = await refused();
    await lose();
    await Promise.all([lookForFiles(), lookForFiles()]);
    const payload = { idSite: t.db.site.id, idImport, idLog };
    expect(await queued()).toMatchObject([{ payload }]);
    expect(isThere()).toBe(false);
    await deliverErrors.run(t.app, payload, signal);
    expect(isThere()).toBe(true);
    await lose();
    await lookForFiles();
    expect(await queued()).toEqual([]);
  });

  it('is delivered when the follow-up of the run used up its attempts', async () => {
    const { idLog } = await refused();
    await t.db.run(sql`update ${jobs} set attempts = max_attempts`);
    await lookForFiles();
    expect(await queued()).toMatchObject([{ attempts: 25 }, { attempts: 0, payload: { idLog } }]);
  });

  it('is left alone while the follow-up of the run waits, even from before logs had numbers', async () => {
    await refused();
    await lookForFiles();
    await t.db.run(sql`update ${jobs} set payload = (payload::jsonb - 'idLog')::json`);
    await lookForFiles();
    expect(await queued()).toHaveLength(1);
  });
});
