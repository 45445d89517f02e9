import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { startWaitingTasks } from '../../platform/task-permits.ts';
import { startTaskRunner } from '../../platform/task-runner.ts';
import type { TestApp } from '../../testing/app.ts';
import type { Hold } from '../../testing/hold.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { kill, startWork } from '../../testing/programs.ts';
import { until } from '../../testing/until.ts';
import { findImport } from '../import-store.ts';
import { finishImport } from './finish-import.ts';
import { planRun, runImport } from './run-import.ts';

const rows = 100;

let t: TestApp;
let tester: ImportTester;
let holds: ImportHolds;
const held = new Set<Hold>();
const endings: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  ({ t, tester } = await importApp());
  holds = await ImportHolds.install(t);
});
afterAll(() => t.close());
afterEach(async () => {
  for (const hold of held) await letGo(hold);
  for (const end of endings.splice(0)) await end();
  await tester.clear();
  await holds.forgetWritten();
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
});

/** An import of a hundred people of its own. */
async function make(): Promise<number> {
  const { id } = await tester.make({});
  const name = `${id}.csv`;
  const people = Array.from({ length: rows }, (_, i) => `u${i}-${id}@example.com;x\n`).join('');
  tester.put(`email;name\n${people}`, name);
  const parameters = sql`parameters || jsonb_build_object('filename', ${name}::text)`;
  await t.db.run(sql`update ${t.db.t.import} set parameters = ${parameters} where id = ${id}`);
  return id;
}
/** Puts an import into the queue, due. */
const plan = (id: number) => planRun(t.db, id, 1, t.clock.now());
/** Two imports that run and stall while others wait, each of which comes after the one before it. */
async function busy(run: () => Promise<unknown>, others: readonly number[]) {
  const [first, second] = [await make(), await make()];
  const [one, two] = [await holdAt(first), await holdAt(second)];
  await Promise.all([plan(first), plan(second)]);
  await run();
  await Promise.all([one.reached(), two.reached()]);
  for (const [i, id] of others.entries()) {
    await plan(id);
    await waits(...others.slice(0, i + 1));
  }
  return { first, second, one, two };
}
async function holdAt(id: number): Promise<Hold> {
  const hold = await holds.staging(id);
  held.add(hold);
  return hold;
}
async function letGo(hold: Hold): Promise<void> {
  held.delete(hold);
  await hold.letGo();
}
async function work(): Promise<void> {
  const runner = await startTaskRunner(t.app, [runImport, finishImport]);
  endings.push(() => runner.stop());
}
const stateOf = async (id: number) => (await findImport(t.db, id))!.importState;
const isDone = (id: number) => until(async () => (await stateOf(id)) === 'Completed', `import ${id} ends`);
const waiting = async () =>
  (
    await t.app.control.rows<{ id: number }>(
      sql`select (payload ->> 'idImport')::int as id from facteur.waiting_job order by waiting_job.id`,
    )
  ).map(({ id }) => id);
const waits = (...ids: number[]) =>
  until(async () => `${await waiting()}` === `${ids}`, `imports ${ids} wait for a slot`);

test('a second import of a site ends while the first is stalled, whatever their numbers', async () => {
  const [first, between, second] = [await make(), await make(), await make()];
  expect(second % 2).toBe(first % 2);
  const hold = await holdAt(first);
  await plan(first);
  await work();
  await hold.reached();
  await Promise.all([plan(between), plan(second)]);
  await Promise.all([isDone(between), isDone(second)]);
  expect(await stateOf(first)).toBe('InProgress');
  await letGo(hold);
  await isDone(first);
  expect(await holds.written()).toEqual({ times: 3 * rows, people: 3 * rows });
});

test('a third one waits while two run, without a worker; it begins when one of them ends', async () => {
  const [third, fourth] = [await make(), await make()];
  const { first, second, one, two } = await busy(work, [third, fourth]);
  const locked = sql`select from graphile_worker._private_jobs where locked_at is not null`;
  await until(async () => (await t.db.rows(locked)).length === 2, 'only two workers are busy');
  expect([await stateOf(third), await stateOf(fourth)]).toEqual(['Scheduled', 'Scheduled']);
  const three = await holdAt(third);
  await letGo(two);
  await three.reached();
  expect(await stateOf(second)).toBe('Completed');
  await letGo(three);
  await Promise.all([isDone(third), isDone(fourth)]);
  expect(await stateOf(first)).toBe('InProgress');
  await letGo(one);
  await isDone(first);
  expect(await waiting()).toEqual([]);
});

test('one that is paused while it waits gives its turn to the next', async () => {
  const [third, fourth] = [await make(), await make()];
  const { first, two } = await busy(work, [third, fourth]);
  expect(await t.call('POST', `/imports/${third}/pause`)).toMatchObject({ status: 200 });
  await letGo(two);
  await isDone(fourth);
  expect([await stateOf(first), await stateOf(third)]).toEqual(['InProgress', 'Paused']);
  expect(await t.call('POST', `/imports/${third}/resume`)).toMatchObject({ status: 200 });
  await isDone(third);
});

test('slots of a killed process are free again, and what ran or waited is done once', async () => {
  const third = await make();
  const killed = start();
  const { first, second, one, two } = await busy(async () => undefined, [third]);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await Promise.all([letGo(one), letGo(two)]);
  start();
  await Promise.all([first, second, third].map(isDone));
  expect(await holds.written()).toEqual({ times: 3 * rows, people: 3 * rows });
  expect(await waiting()).toEqual([]);
});

test('one that waits although nobody is left to wake it is found by looking', async () => {
  const id = await make();
  await t.app.control.run(sql`
    insert into facteur.waiting_job (semaphore, task, payload, max_attempts)
    values (${`permits ${t.db.site.schema} import`}, 'runImport',
            ${JSON.stringify({ idSite: t.db.site.id, idImport: id, run: 1 })}, 12)`);
  await startWaitingTasks.run(t.app, {}, new AbortController().signal);
  expect(await waiting()).toEqual([]);
  await work();
  await isDone(id);
});

function start(): ChildProcess {
  const smtpUrl = 'smtp://127.0.0.1:1';
  const worker = startWork(t, { importQueue: true }, { settings: { FACTEUR_SMTP_URL: smtpUrl } });
  endings.push(() => kill(worker));
  return worker;
}
