import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  addBurning,
  burningExpression,
  targetByExpression,
  untilBurning,
} from '../../testing/burning-filter.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { until } from '../../testing/until.ts';
import { exportsOperations } from '../operations.ts';
import { runExport } from './run-export.ts';

let t: TestApp;
let tester: ExportTester;
let sftp: SftpElsewhere;
let idRepository: number;
beforeAll(async () => {
  [t, sftp] = await Promise.all([testApp({ operations: exportsOperations }), SftpElsewhere.start()]);
  tester = new ExportTester(t);
  const access = { ...sftp.access, hostKey: sftp.hostKey };
  idRepository = await makeRepository(t.db, t.app.secrets, access);
});
afterAll(() => Promise.all([t.close(), sftp.close()]));
beforeEach(() => {
  rmSync(sftp.folder, { recursive: true, force: true });
  mkdirSync(sftp.folder, { recursive: true });
});
afterEach(() => tester.clear());

const seconds = async (): Promise<number> =>
  ((await tester.jobs('runExport')).at(-1)!.runAt.getTime() - t.clock.now().getTime()) / 1_000;

/** Adds `nb` rows of 1 kB. */
async function addMany(nb: number): Promise<void> {
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld5, fld6, fld21, fld22)
    select i || '@example.com', repeat('a', 255), repeat('b', 255), repeat('c', 255), repeat('d', 255)
    from generate_series(1, ${nb}::int) i`);
}
const wide = ['1', '5', '6', '21', '22'];
const drafts = () => readdirSync(sftp.folder).filter((name) => name.endsWith('.tmp'));

describe('a server that is unavailable', () => {
  test('makes an export wait, longer each time, and take its place; when it is back the file comes', async () => {
    await tester.add('ada@example.com');
    const { port } = sftp;
    await sftp.stop();
    const id = await tester.create({ idRepository });
    const waits: number[] = [];
    for (let run = 1; run <= 9; run++) {
      const waiting = await tester.run(id);
      expect(waiting).toMatchObject({ state: 'SCHEDULED', runs: run, nbLines: null });
      expect(waiting.message).toContain('The SFTP server 127.0.0.1');
      waits.push(await seconds());
      t.clock.advance(waits.at(-1)! * 1_000);
    }
    expect(waits).toEqual([10, 10, 20, 40, 80, 160, 320, 600, 600]);
    const { data } = await t.call('GET', `/exports/${id}`);
    expect(data).toMatchObject({
      description: expect.stringContaining('Waits for the next attempt: The SFTP'),
    });
    for (let i = 0; i < 9; i++) await tester.create();
    expect((await t.call('POST', '/exports', { body: await tester.request() })).status).toBe(429);
    await sftp.open(port);
    expect(await tester.run(id)).toMatchObject({
      state: 'COMPLETED',
      runs: 10,
      nbLines: 1,
      failingSince: null,
    });
    expect(readFileSync(join(sftp.folder, 'people.csv'), 'utf8')).toBe('Email\r\nada@example.com\r\n');
    expect((await tester.jobs('finishExport')).map((job) => job.payload.idExport)).toEqual([id]);
  });

  test('for six hours makes it fail, with the reason', async () => {
    const { port } = sftp;
    await sftp.stop();
    const id = await tester.create({ idRepository });
    t.clock.advance(86_400_000);
    // The service itself was down for a day: that is not held against the server.
    expect(await tester.run(id)).toMatchObject({ state: 'SCHEDULED' });
    t.clock.advance(6 * 3_600_000 - 1);
    expect(await tester.run(id)).toMatchObject({ state: 'SCHEDULED' });
    t.clock.advance(1);
    const failed = await tester.run(id);
    expect(failed).toMatchObject({ state: 'FAILED', nbLines: null, failingSince: null });
    expect(failed.message).toContain(
      'The export failed for 6 hours and is given up: The SFTP server 127.0.0.1',
    );
    expect(await tester.jobs('finishExport')).toHaveLength(1);
    expect(await tester.run(id)).toEqual(failed);
    await sftp.open(port);
  });

  test('from the middle of a file on leaves no file of that name; the next run writes it and clears', async () => {
    await addMany(20_000);
    const { port } = sftp;
    const id = await tester.create({ idRepository, idsFields: wide });
    const cutOff = tester.run(id);
    await until(() => drafts().length > 0, 'the temporary file');
    await sftp.stop();
    const waiting = await cutOff;
    expect(waiting.state).toBe('SCHEDULED');
    expect(waiting.message).toContain('cannot be used: the connection broke');
    expect(readdirSync(sftp.folder)).not.toContain('people.csv');
    // The connection that delivered the rows was lost, and no other one: the pool returns valid ones.
    const asked = Array.from({ length: 20 }, () => t.db.one<{ one: number }>(sql`select 1 as one`));
    expect((await Promise.all(asked)).every((row) => row.one === 1)).toBe(true);
    await sftp.open(port);
    expect(await tester.run(id)).toMatchObject({ state: 'COMPLETED', nbLines: 20_000 });
    expect(readdirSync(sftp.folder)).toEqual(['people.csv']);
    const lines = readFileSync(join(sftp.folder, 'people.csv'), 'utf8').split('\r\n');
    expect([lines.length, lines.at(-2)!.slice(0, 20)]).toEqual([20_002, '20000@example.com;aa']);
  });
});

describe('a server that does not let us', () => {
  test('because of its key or our password is retried: both may be put right', async () => {
    await sftp.changeKey();
    const id = await tester.create({ idRepository });
    expect(await tester.run(id)).toMatchObject({ state: 'SCHEDULED' });
    await t.db.run(sql`update ${t.db.t.repository} set host_key = ${sftp.hostKey}`);
    expect(await tester.run(id)).toMatchObject({ state: 'COMPLETED' });
    const wrong = { ...sftp.access, hostKey: sftp.hostKey, password: 'open sesame' };
    const idWrong = await makeRepository(t.db, t.app.secrets, wrong);
    const refused = await tester.run(await tester.create({ idRepository: idWrong }));
    expect(refused.state).toBe('SCHEDULED');
    expect(refused.message).not.toContain('open sesame');
  });

  test('write there makes it fail immediately', async () => {
    symlinkSync(t.dataDir, join(sftp.folder, 'out'));
    const refused = await tester.run(await tester.create({ idRepository, exportSubFolder: 'out' }));
    expect(refused).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining('could not be written'),
    });
  });

  test('make a folder there makes a large one fail immediately, too: its rows are not waited for', async () => {
    await addMany(5_000);
    writeFileSync(join(sftp.folder, 'out'), 'a file');
    const id = await tester.create({ idRepository, idsFields: wide, exportSubFolder: 'out/weekly' });
    expect(await tester.run(id)).toMatchObject({ message: expect.stringContaining('could not be written') });
  });

  test('because it is inside our own network makes it fail immediately', async () => {
    const id = await tester.create({ idRepository });
    const strict = { ...t.app, config: { ...t.app.config, privateNetworks: [] } };
    await runExport.run(strict, { idSite: t.db.site.id, idExport: id }, new AbortController().signal);
    expect(await t.db.one(sql`select state from ${t.db.t.export_job}`)).toEqual({ state: 'FAILED' });
  });
});

test('a service that is to end leaves the run to the next one', async () => {
  await addMany(20_000);
  const id = await tester.create({ idRepository, idsFields: wide });
  const controller = new AbortController();
  const payload = { idSite: t.db.site.id, idExport: id };
  const run = runExport.run(t.app, payload, controller.signal);
  const ended = expect(run).rejects.toThrow('The service is stopping');
  await until(() => drafts().length > 0, 'the temporary file');
  controller.abort();
  await ended;
  expect(readdirSync(sftp.folder)).toEqual([]);
  expect(await tester.run(id)).toMatchObject({ state: 'COMPLETED', runs: 2 });
});

test('a service that is to end ends the SQL filter of a run as well', async () => {
  await addBurning(t.db);
  const id = await tester.create({ idTarget: await targetByExpression(t.db, burningExpression) });
  const controller = new AbortController();
  const run = runExport.run(t.app, { idSite: t.db.site.id, idExport: id }, controller.signal);
  const ended = expect(run).rejects.toThrow('The service is stopping');
  await untilBurning(t, 1);
  controller.abort();
  await ended;
  await untilBurning(t, 0);
});

test('two runs of one export at once: the second lets the first work', async () => {
  await addMany(5_000);
  const id = await tester.create({ idRepository, idsFields: wide });
  const first = tester.run(id);
  await until(() => drafts().length > 0, 'the temporary file');
  await expect(tester.run(id)).rejects.toThrow('is already running');
  expect(await first).toMatchObject({ state: 'COMPLETED', runs: 1 });
});

test('a run that lost its lock and continues ends without a result', async () => {
  await addMany(20_000);
  const id = await tester.create({ idRepository, idsFields: wide });
  const old = tester.run(id);
  await until(() => drafts().length > 0, 'the temporary file');
  // Its lock was lost with its connection.
  await t.db.run(sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`);
  await until(
    async () =>
      tester.run(id).then(
        () => true,
        () => false,
      ),
    'the lock to be free',
  );
  await old;
  expect(readdirSync(sftp.folder)).toEqual(['people.csv']);
  expect(await t.db.rows(sql`select state, runs, nb_lines as nb from ${t.db.t.export_job}`)).toEqual([
    { state: 'COMPLETED', runs: 2, nb: 20_000 },
  ]);
  expect(readFileSync(join(sftp.folder, 'people.csv'), 'utf8').split('\r\n')).toHaveLength(20_002);
});
