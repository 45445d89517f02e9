import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { startTaskRunner, type TaskRunner } from '../../platform/task-runner.ts';
import type { TestApp } from '../../testing/app.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { kill, startWork } from '../../testing/programs.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { StallingSftp } from '../../testing/stalling-sftp.ts';
import { until } from '../../testing/until.ts';
import type { ImportParameters } from '../import.ts';
import { findImport } from '../import-store.ts';
import { errorsFolder } from '../leftovers.ts';
import { deliverErrors, finishImport } from './finish-import.ts';
import { planRun, runImport } from './run-import.ts';

const pending = 'The file of rejected rows is not written yet';

let t: TestApp;
let tester: ImportTester;
let holds: ImportHolds;
let sink: SmtpSink;
let sftp: StallingSftp;
let runner: TaskRunner | undefined;
const workers: ChildProcess[] = [];
beforeAll(async () => {
  [sink, sftp] = await Promise.all([smtpSink({ keepRaw: true }), StallingSftp.start()]);
  ({ t, tester } = await importApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } }));
  holds = await ImportHolds.install(t);
  const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: sftp.access });
  const { id: idRepository } = made.data as { id: number };
  const body = { idRepository };
  expect(await t.call('PUT', '/admin/v1/sites/demo/default-repository', { body })).toMatchObject({
    status: 200,
  });
  // Other processes have another key for it; this server takes everybody.
  await t.db.run(sql`update ${t.db.t.repository} set password = null`);
});
afterAll(async () => {
  await t.close();
  await Promise.all([sink.close(), sftp.close()]);
});
beforeEach(() => {
  sftp.stalls = () => false;
  sftp.unanswered = 0;
  sftp.files.clear();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await kill(worker);
  await runner?.stop();
  runner = undefined;
  await tester.clear();
  await holds.forgetWritten();
  await t.db.run(sql`delete from graphile_worker._private_jobs`);
  await t.db.run(sql`delete from ${t.db.t.import}`);
  sink.messages.length = 0;
});

async function due(name: string, content: string, more: Partial<ImportParameters> = {}): Promise<number> {
  sftp.files.set(name, Buffer.from(content));
  const { id } = await tester.make({ filename: name, emailNotification: 'ada@example.com', ...more });
  await planRun(t.db, id, 1, t.clock.now());
  return id;
}
const work = async () => {
  runner = await startTaskRunner(t.app, [runImport, finishImport, deliverErrors]);
};
const found = async (id: number) => (await findImport(t.db, id))!;
const ends = (id: number) =>
  until(async () => (await found(id)).importState === 'Completed', `import ${id} ends`);
const messageOf = async (id: number) => (await found(id)).lastImportLog?.errorMessage;
const jobsLeft = () => t.db.rows(sql`select from graphile_worker._private_jobs`);
const kept = () => readdirSync(errorsFolder(t.dataDir, t.db));
const isErrorFile = (name: string) => name.includes('.errors');
const errorFile = (name: string) => sftp.files.get(`${name}.errors.csv`)?.toString();

describe('while the repository hangs', () => {
  test('in the file of rejected rows, other imports of the site end, and the log says what is missing', async () => {
    sftp.stalls = (what, name) => what === 'write' && isErrorFile(name);
    const first = await due('a.csv', 'email;name\na@example.com;x\nbad;y\n');
    await work();
    await until(() => sftp.unanswered > 0, 'the server hangs in the error file');
    const second = await due('b.csv', 'email;name\nb@example.com;x\n');
    await ends(second);
    expect(await found(first)).toMatchObject({
      importState: 'Completed',
      lastImportLog: { nbInserts: 1, nbErrorRows: 1, badFormattedRowNumbers: '3', errorMessage: pending },
    });
    expect(await tester.people()).toHaveLength(2);
  });

  test('in the second reading, for the cells of rows that the database refuses, they end as well', async () => {
    await tester.add('ada@example.com', 'Ada', { client: 1 });
    const columnMapping = [column(1, 'email'), column(43, 'client')];
    let hasBeenRead = false;
    sftp.stalls = (what, name) => what === 'read' && name === 'a.csv' && hasBeenRead;
    const first = await due('a.csv', 'email;client\nnew@example.com;1\n', { columnMapping });
    const hold = await holds.merge();
    await work();
    await hold.reached();
    hasBeenRead = true;
    await hold.letGo();
    await until(() => sftp.unanswered > 0, 'the server hangs in the second reading');
    const second = await due('b.csv', 'email;name\nb@example.com;x\n');
    await ends(second);
    expect((await found(first)).importState).toBe('InProgress');
  });
});

test('a connection that the repository resets is reported as its own, not as the database connection', async () => {
  sftp.stalls = (what) => what === 'read';
  const id = await due('a.csv', 'email;name\na@example.com;x\n');
  await work();
  await until(() => sftp.unanswered > 0, 'the server hangs in the reading');
  sftp.reset();
  const troubles = () =>
    t.db.rows<{ trouble: string }>(
      sql`select trouble from ${t.db.t.import} where id = ${id} and trouble is not null`,
    );
  await until(async () => (await troubles()).length > 0, 'the run has failed');
  expect(await troubles()).toEqual([
    { trouble: 'The SFTP server 127.0.0.1 cannot be used: the connection broke' },
  ]);
});

test('a file that changes before the cells of its refused rows are looked up is read again', async () => {
  await tester.add('ada@example.com', 'Ada', { client: 1 });
  const columnMapping = [column(1, 'email'), column(43, 'client')];
  const id = await due('a.csv', 'email;client\nnew@example.com;1\n', { columnMapping });
  const hold = await holds.merge();
  await work();
  await hold.reached();
  sftp.files.set('a.csv', Buffer.from('email;client\nother@example.com;2\nnext@example.com;1\n'));
  await hold.letGo();
  await ends(id);
  expect((await found(id)).lastImportLog).toMatchObject({ totalRows: 2, nbInserts: 1, nbErrorRows: 1 });
  await until(() => errorFile('a.csv') !== undefined, 'the error file is there');
  expect(errorFile('a.csv')).toContain('next@example.com;1;3;the client identifier belongs to subscriber 1');
});

test('killed -9 between the merge and the end of the delivery, it is delivered again, and no row twice', async () => {
  sftp.stalls = (what, name) => what === 'write' && isErrorFile(name);
  const id = await due('a.csv', 'email;name\na@example.com;x\nbad;y\n', { deleteFile: true });
  const worker = start();
  await until(() => sftp.unanswered > 0, 'the server hangs in the error file');
  await kill(worker);
  expect(await messageOf(id)).toBe(pending);
  expect(kept()).toHaveLength(1);
  expect(sftp.files.has('a.csv')).toBe(true);
  sftp.stalls = () => false;
  start();
  await until(async () => (await jobsLeft()).length === 0, 'the queue is empty');
  expect(errorFile('a.csv')).toContain('bad;y;3;');
  expect([...sftp.files.keys()]).toEqual(['a.csv.errors.csv']);
  expect(await messageOf(id)).toBeNull();
  expect(kept()).toEqual([]);
  expect(await holds.written()).toEqual({ times: 1, people: 1 });
});

describe('a file of rejected rows that cannot be delivered', () => {
  /** Ends an import whose error file the repository does not take, now. */
  async function failed(more: Partial<ImportParameters> = {}): Promise<{ id: number; idLog: number }> {
    const id = await due('a.csv', 'email;name\na@example.com;x\nbad;y\n', more);
    const [idSite, signal] = [t.db.site.id, new AbortController().signal];
    await runImport.run(t.app, { idSite, idImport: id, run: 1 }, signal);
    const { id: idLog } = (await found(id)).lastImportLog!;
    // A server that is unavailable, not one that hangs: that takes its minute.
    await t.db.run(sql`update ${t.db.t.repository} set port = 9`);
    await finishImport.run(t.app, { idSite, idImport: id, idLog }, signal);
    return { id, idLog };
  }
  const again = ({ id, idLog }: { id: number; idLog: number }) =>
    deliverErrors.run(t.app, { idSite: t.db.site.id, idImport: id, idLog }, new AbortController().signal);
  const planned = () =>
    t.db.rows<{ at: Date }>(sql`
      select run_at as at from graphile_worker.jobs where task_identifier = 'deliverErrors'`);
  afterEach(async () => {
    await t.db.run(sql`update ${t.db.t.repository} set port = ${sftp.access.port}`);
  });

  test('is retried, and the imported file stays until then', async () => {
    const of = await failed({ deleteFile: true });
    expect(await messageOf(of.id)).toBe(pending);
    expect(await planned()).toEqual([{ at: new Date(t.clock.now().getTime() + 10_000) }]);
    const raw = sink.messages[0]!.raw!.toString();
    expect(raw).toContain(pending);
    expect(raw).toContain('Writing the file of rejected rows will be retried');
    expect(raw).not.toContain('(see');
    await t.db.run(sql`update ${t.db.t.repository} set port = ${sftp.access.port}`);
    await again(of);
    expect([...sftp.files.keys()]).toEqual(['a.csv.errors.csv']);
    expect(await messageOf(of.id)).toBeNull();
  });

  test('is given up after 22 hours; the log and a second notice say why, and the imported file stays', async () => {
    const of = await failed({ deleteFile: true });
    t.clock.set(new Date(t.clock.now().getTime() + 22 * 3_600_000).toISOString());
    await again(of);
    const why = 'The file of rejected rows could not be written: The SFTP server 127.0.0.1';
    expect(await messageOf(of.id)).toContain(why);
    expect(await planned()).toHaveLength(1);
    expect(sink.messages).toHaveLength(2);
    expect(sink.messages[1]!.raw!.toString().replaceAll('=\r\n', '')).toContain(why);
    expect(sink.messages[1]!.messageId).not.toBe(sink.messages[0]!.messageId);
    expect(kept()).toEqual([]);
    expect(sftp.files.has('a.csv')).toBe(true);
    // The job was killed before the queue knew that it was done.
    await again(of);
    expect(await messageOf(of.id)).toContain(why);
  });

  test('gives way to that of a later import of the same file', async () => {
    const of = await failed();
    await t.db.run(sql`update ${t.db.t.repository} set port = ${sftp.access.port}`);
    const later = await due('a.csv', 'email;name\nworse;y\n');
    await tester.run(later);
    await again(of);
    expect(errorFile('a.csv')).toContain('worse;y');
    expect(await messageOf(of.id)).toContain('a later import of this file has rejected rows too');
    expect(await messageOf(later)).toBeNull();
  });

  test('is given up when its process is killed at every attempt', async () => {
    const of = await failed();
    await deliverErrors.gaveUp!(t.app, { idSite: t.db.site.id, idImport: of.id, idLog: of.idLog });
    expect(await messageOf(of.id)).toContain('the process that wrote it ended at every attempt');
  });
});

function start(): ChildProcess {
  const smtpUrl = `smtp://127.0.0.1:${sink.port}`;
  const worker = startWork(t, { importQueue: true }, { settings: { FACTEUR_SMTP_URL: smtpUrl } });
  workers.push(worker);
  return worker;
}
