import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { Secrets } from '../../platform/secrets.ts';
import { startTaskRunner } from '../../platform/task-runner.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { kill, processSecret, startWork } from '../../testing/programs.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import type { StoredExport } from '../export.ts';
import { findExport } from '../export-store.ts';
import { exportsOperations } from '../operations.ts';
import { findLostExports } from './find-lost-exports.ts';
import { finishExport } from './finish-export.ts';
import { runExport } from './run-export.ts';

const rows = 20_000;
const idsFields = ['1', '5', '6', '21', '22'];

let t: TestApp;
let tester: ExportTester;
let sftp: SftpElsewhere;
let sink: SmtpSink;
let idRepository: number;
let children: ChildProcess[] = [];
let hangs = false;

beforeAll(async () => {
  const misdeed = () => (hangs ? 'takeAndHang' : undefined);
  [t, sftp, sink] = await Promise.all([
    testApp({ operations: exportsOperations }),
    SftpElsewhere.start(),
    smtpSink({ misdeed }),
  ]);
  tester = new ExportTester(t);
  const secrets = new Secrets(processSecret);
  idRepository = await makeRepository(t.db, secrets, { ...sftp.access, hostKey: sftp.hostKey });
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld5, fld6, fld21, fld22)
    select i || '@example.com', repeat('a', 255), repeat('b', 255), repeat('c', 255), repeat('d', 255)
    from generate_series(1, ${rows}::int) i`);
});
afterAll(() => Promise.all([t.close(), sftp.close(), sink.close()]));
beforeEach(async () => {
  hangs = false;
  sink.messages.length = 0;
  rmSync(sftp.folder, { recursive: true, force: true });
  mkdirSync(sftp.folder, { recursive: true });
  await t.db.run(sql`truncate ${t.db.t.export_job}`);
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

/** A run in a process of its own. */
function start(idExport: number, smtpUrl?: string): ChildProcess {
  const differences = smtpUrl === undefined ? {} : { settings: { FACTEUR_SMTP_URL: smtpUrl } };
  const child = startWork(t, { export: idExport, notifies: smtpUrl !== undefined }, differences);
  children.push(child);
  return child;
}

const found = async (id: number): Promise<StoredExport> => (await findExport(t.db, id))!;
const files = () => readdirSync(sftp.folder);
const isWhole = () => {
  const lines = readFileSync(join(sftp.folder, 'people.csv'), 'utf8').split('\r\n');
  return lines.length === rows + 2 && lines.slice(1, -1).every((line) => line.length > 1_030);
};
const smtpUrl = () => `smtp://127.0.0.1:${sink.port}`;
const app = () => ({
  ...t.app,
  secrets: new Secrets(processSecret),
  config: { ...t.app.config, smtpUrl: smtpUrl() },
});
const payload = (idExport: number) => ({ idSite: t.db.site.id, idExport });

/** The next run, when PostgreSQL has noticed that the one before is dead. */
async function runAgain(idExport: number): Promise<StoredExport> {
  const { signal } = new AbortController();
  const isDone = () =>
    runExport.run(app(), payload(idExport), signal).then(
      () => true,
      () => false,
    );
  await until(isDone, 'the lock of the killed run to be free');
  return found(idExport);
}

/** Sends the mail of each queued job. */
async function sendMails(): Promise<void> {
  const { signal } = new AbortController();
  for (const job of await tester.jobs('finishExport'))
    await finishExport.run(app(), payload(job.payload.idExport), signal);
}

test('killed -9 while it writes: no file, and the next run writes it and clears what was left', async () => {
  const id = await tester.create({ idRepository, idsFields });
  for (let kills = 1; kills <= 2; kills++) {
    const child = start(id);
    const draft = new RegExp(`^\\.facteur-export-demo-${id}-[0-9a-f]{12}-${kills}\\.tmp$`);
    await until(() => files().some((name) => draft.test(name)), 'the temporary file');
    await kill(child);
    expect(files()).not.toContain('people.csv');
    expect(await found(id)).toMatchObject({ state: 'RUNNING', runs: kills, nbLines: null });
    expect(await tester.jobs('finishExport')).toEqual([]);
    // PostgreSQL is still busy with it until it tries to write to the dead; the next child would find the lock held.
    await until(isLockFree, 'the lock to be free');
  }
  expect(await runAgain(id)).toMatchObject({ state: 'COMPLETED', nbLines: rows });
  expect(files()).toEqual(['people.csv']);
  expect(isWhole()).toBe(true);
  await sendMails();
  expect(sink.messages).toHaveLength(1);
});

test('killed -9 while it writes, and its task lost from the queue: it is found and done, with one mail', async () => {
  const id = await tester.create({ idRepository, idsFields });
  const child = start(id);
  await until(() => files().some((name) => name.endsWith('-1.tmp')), 'the temporary file');
  await kill(child);
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
  await findLostExports.run(app(), {}, new AbortController().signal);
  await until(isLockFree, 'the lock to be free');
  const runner = await startTaskRunner(app(), [runExport, finishExport]);
  try {
    const isTold = async () => sink.messages.length > 0 && (await tester.jobs('finishExport')).length === 0;
    await until(isTold, 'the mail');
  } finally {
    await runner.stop();
  }
  expect(await found(id)).toMatchObject({ state: 'COMPLETED', runs: 2, nbLines: rows });
  expect([files(), isWhole()]).toEqual([['people.csv'], true]);
  expect(sink.messages).toHaveLength(1);
});

const isLockFree = async () =>
  (
    await t.db.rows(sql`
    select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`)
  ).length === 0;

test('killed -9 between the file and its state: the next run writes the same again; one mail', async () => {
  // Holds a run where it writes that it has ended.
  await t.db.run(sql`
    create function facteur.wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(4242); return new; end $$`);
  await t.db.run(sql`
    create trigger wait before update on ${t.db.t.export_job} for each row when (new.state = 'COMPLETED')
      execute function facteur.wait_for_test()`);
  const id = await tester.create({ idRepository, idsFields });
  await t.db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(4242)`);
    const child = start(id);
    await until(() => files().includes('people.csv'), 'the file');
    await kill(child);
  });
  expect(await found(id)).toMatchObject({ state: 'RUNNING', runs: 1 });
  expect([files(), isWhole()]).toEqual([['people.csv'], true]);
  await t.db.run(sql`drop trigger wait on ${t.db.t.export_job}`);
  expect(await runAgain(id)).toMatchObject({ state: 'COMPLETED', runs: 2, nbLines: rows });
  expect([files(), isWhole()]).toEqual([['people.csv'], true]);
  await sendMails();
  expect(sink.messages).toHaveLength(1);
});

test('killed -9 before the mail: it is sent once; between the relay and the end of the job: once more', async () => {
  const id = await tester.create({ idRepository });
  hangs = true;
  const child = start(id, smtpUrl());
  await until(() => sink.messages.length > 0, 'the mail');
  await kill(child);
  hangs = false;
  expect(await found(id)).toMatchObject({ state: 'COMPLETED', runs: 1, nbLines: rows });
  expect(await runAgain(id)).toMatchObject({ state: 'COMPLETED', runs: 1 });
  await sendMails();
  expect(sink.messages).toHaveLength(2);
});
