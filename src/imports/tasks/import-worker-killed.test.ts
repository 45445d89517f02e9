import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import type { Hold } from '../../testing/hold.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { base, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { kill, startWork } from '../../testing/programs.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { findImport, insertImport } from '../import-store.ts';
import { findLostImports } from './find-lost-imports.ts';
import { planRun } from './run-import.ts';

const rows = 2_000;

let t: TestApp;
let tester: ImportTester;
let holds: ImportHolds;
let sink: SmtpSink;
const workers: ChildProcess[] = [];
/** Notices that the sink takes without saying so. */
let deferred = 0;

beforeAll(async () => {
  sink = await smtpSink({ misdeed: () => (deferred-- > 0 ? 'takeAndHang' : undefined) });
  ({ t, tester } = await importApp());
  holds = await ImportHolds.install(t);
});
afterAll(async () => {
  await sink.close();
  await t.close();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await kill(worker);
  await tester.clear();
  await holds.forgetWritten();
  await t.db.run(sql`delete from ${t.db.t.import}`);
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
  sink.messages.length = 0;
  deferred = 0;
});

function start(): ChildProcess {
  const smtpUrl = `smtp://127.0.0.1:${sink.port}`;
  const worker = startWork(t, { importQueue: true }, { settings: { FACTEUR_SMTP_URL: smtpUrl } });
  workers.push(worker);
  return worker;
}

/** An import of the file that is due; the first of the people are known. A recurring one is due every day. */
async function due(isRecurring: boolean): Promise<number> {
  await tester.add('u0@example.com', 'before');
  await holds.forgetWritten();
  tester.put(`email;name\n${Array.from({ length: rows }, (_, i) => `u${i}@example.com;after`).join('\n')}\n`);
  // The worker's clock is the real one.
  const at = new Date(Date.now() - 60_000);
  const { id } = await insertImport(t.db, {
    idUser: 1,
    author: 'Ada',
    parameters: { ...base, emailNotification: 'ada@example.com' },
    scheduledAt: at,
    at,
    ...(isRecurring && {
      scheduling: {
        isRecurring,
        recurringInfos: { frequencyUnits: 'Day', time: '02:30:00', startDate: at.toISOString() },
      },
    }),
  });
  await planRun(t.db, id, 1, at);
  return id;
}

const logs = (id: number) =>
  t.db.rows(sql`select run, state from ${t.db.t.import_log} where id_import = ${id}`);
const jobsLeft = () =>
  t.db.rows<{ run: number | null }>(sql`
    select (payload ->> 'run')::int as run from graphile_worker._private_jobs order by id`);

/** Point at which the worker is killed; `first` sets up a hold after the run has begun. */
interface Point {
  readonly holdAt: (id: number) => Promise<Hold>;
  readonly first?: () => Promise<Hold>;
}
const points: Readonly<Record<string, Point>> = {
  'while it reads': { holdAt: () => holds.staging() },
  'before it merges': { holdAt: () => holds.merge() },
  'while it changes subscribers': { holdAt: () => holds.update(1) },
  'while it adds subscribers': { holdAt: () => holds.insert('u7@example.com') },
  'while it writes the end': { holdAt: () => holds.end() },
  // The queue takes a job by a lock on its row, as this hold does.
  'before the queue knows that it is done': {
    holdAt: (id) => holds.completion(id),
    first: () => holds.merge(),
  },
};
const ofRecurring = ['while it reads', 'while it writes the end', 'before the queue knows that it is done'];

describe.each([
  ['an import', false, Object.keys(points)],
  ['a recurring import', true, ofRecurring],
] as const)('%s whose worker is killed -9', (_what, isRecurring, when) => {
  test.each(when)(
    '%s is done once',
    async (point) => {
      const { holdAt, first } = points[point]!;
      const id = await due(isRecurring);
      let hold = await (first ?? holdAt)(id);
      const worker = start();
      await hold.reached();
      if (first) {
        const early = hold;
        hold = await holdAt(id);
        await early.letGo();
        await hold.reached();
      }
      await kill(worker);
      await hold.letGo();
      start();
      await isDone(id, isRecurring);
    },
    120_000,
  );

  test('between the merge and the notice is done once, and the notice comes', async () => {
    deferred = 1;
    const id = await due(isRecurring);
    const worker = start();
    await until(() => sink.messages.length > 0, 'the relay has the notice and has not said so');
    expect(await logs(id)).toHaveLength(1);
    await kill(worker);
    start();
    await until(() => sink.messages.length > 1, 'the notice comes again');
    await isDone(id, isRecurring);
  });
});

test.each(['while it reads', 'while it changes subscribers', 'while it writes the end'])(
  'an import whose worker is killed -9 %s, and whose job was lost from the queue, is found and done once',
  async (point) => {
    const id = await due(false);
    const hold = await points[point]!.holdAt(id);
    const worker = start();
    await hold.reached();
    await kill(worker);
    await hold.letGo();
    await t.db.run(sql`delete from graphile_worker._private_jobs`);
    const look = () => findLostImports.run(t.app, {}, new AbortController().signal);
    await Promise.all([look(), look()]);
    expect(await jobsLeft()).toEqual([{ run: 1 }]);
    start();
    await isDone(id, false);
  },
  120_000,
);

test('killed -9 while it looks for the row that the table refuses, an import refuses it once', async () => {
  await t.db.run(sql`alter table ${t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`);
  try {
    const id = await due(false);
    const names = (i: number) => (i === 3 ? 'odd' : 'after');
    tester.put(
      `email;name\n${Array.from({ length: rows }, (_, i) => `u${i}@example.com;${names(i)}`).join('\n')}\n`,
    );
    // The merge has failed at the row above: only who continues without it comes here.
    const hold = await holds.insert('u7@example.com');
    const worker = start();
    await hold.reached();
    await kill(worker);
    await hold.letGo();
    expect(await holds.written()).toEqual({ times: 0, people: 0 });
    start();
    await until(async () => (await jobsLeft()).length === 0, 'the queue is empty');
    expect((await findImport(t.db, id))!.lastImportLog).toMatchObject({
      nbUpdates: 1,
      nbInserts: rows - 2,
      nbErrorRows: 1,
      badFormattedRowNumbers: '5',
    });
    expect(await holds.written()).toEqual({ times: rows - 1, people: rows - 1 });
    expect(await tester.stages()).toEqual([]);
  } finally {
    await t.db.run(sql`alter table ${t.db.t.subscriber} drop constraint odd`);
  }
});

async function isDone(id: number, isRecurring: boolean): Promise<void> {
  const left = isRecurring ? [{ run: 2 }] : [];
  await until(async () => (await logs(id)).length > 0, 'the run ends');
  await until(async () => (await jobsLeft()).length <= left.length, 'the queue is empty');
  expect(await jobsLeft()).toEqual(left);
  expect(await logs(id)).toEqual([{ run: 1, state: 'Completed' }]);
  const found = (await findImport(t.db, id))!;
  expect(found.importState).toBe(isRecurring ? 'Scheduled' : 'Completed');
  expect(found.lastImportLog).toMatchObject({ nbUpdates: 1, nbInserts: rows - 1, totalRows: rows });
  expect(await holds.written()).toEqual({ times: rows, people: rows });
  expect(await tester.stages()).toEqual([]);
  // A notice whose job was killed before the queue knew of it comes twice, under one id.
  expect(new Set(sink.messages.map(({ messageId }) => messageId)).size).toBe(1);
  expect(sink.messages.length).toBeLessThanOrEqual(2);
}
