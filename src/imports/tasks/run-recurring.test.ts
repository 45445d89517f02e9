import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import type { Import } from '../import.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
let sink: SmtpSink;
beforeAll(async () => {
  sink = await smtpSink({ keepRaw: true });
  ({ t, tester } = await importApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } }));
});
afterAll(async () => {
  await sink.close();
  await t.close();
});
beforeEach(() => t.clock.set('2026-11-20T10:00:00Z'));
afterEach(async () => {
  await tester.clear();
  sink.messages.length = 0;
});

const nightly = (more: object = {}) => ({
  isRecurring: true,
  recurringInfos: {
    frequencyUnits: 'Day',
    time: '02:30:00',
    filenameTemplate: 'people_{yyyy}{MM}{dd}_{HH}{mm}.csv',
    ...more,
  },
});
const runAt = async (id: number, time: string): Promise<Import> => {
  t.clock.set(time);
  return tester.run(id);
};
const scheduledDate = (of: Import) => of.schedulingInfos.scheduledDate;
const logs = async (id: number) =>
  (
    (await t.call('GET', `/imports/${id}/logs`)).data as {
      items: { filename: string; errorMessage: string | null }[];
    }
  ).items;
const listed = async (id: number) => {
  const { data } = await t.call('GET', '/imports', {
    query: { 'filter.sortBy': 'ID', 'filter.order': 'ASC' },
  });
  return (data as { items: { id: number }[] }).items.find((item) => item.id === id);
};

describe('a recurring import', () => {
  test('takes the file of each night, plans the next, and is Completed after the last', async () => {
    const { id } = await tester.schedule(nightly({ endDate: '2026-11-22T12:00:00Z' }), {
      filename: '',
      deleteFile: true,
    });
    tester.put('email;name\na@example.com;1\nbad;x\n', 'people_20261121_0230.csv');
    tester.put('email;name\na@example.com;2\nb@example.com;2\n', 'people_20261122_0230.csv');

    const first = await runAt(id, '2026-11-21T01:30:04Z');
    expect(first).toMatchObject({
      importState: 'Scheduled',
      lastImportLog: { filename: 'people_20261121_0230.csv', nbInserts: 1, nbErrorRows: 1 },
    });
    expect(scheduledDate(first)).toBe('2026-11-22T01:30:00.000Z');
    expect(await tester.jobsOf(id)).toMatchObject({ 2: '2026-11-22T01:30:00.000Z' });
    expect(await listed(id)).toMatchObject({
      filename: 'people_20261122_0230.csv',
      progression: '0 %',
      scheduledDate: '2026-11-22T01:30:00.000Z',
      startDate: '2026-11-21T01:30:04.000Z',
      nbInserts: 1,
    });
    await tester.finish(first.lastImportLog!.id);
    expect(existsSync(join(tester.folder, 'people_20261121_0230.csv'))).toBe(false);
    expect(existsSync(join(tester.folder, 'people_20261122_0230.csv'))).toBe(true);
    expect(tester.errorFile('people_20261121_0230.csv')).toContain('bad;x');

    const second = await runAt(id, '2026-11-22T01:30:04Z');
    expect(second).toMatchObject({
      importState: 'Completed',
      lastImportLog: { filename: 'people_20261122_0230.csv', nbInserts: 1, nbUpdates: 1 },
    });
    expect(Object.keys(await tester.jobsOf(id)).sort()).toEqual(['1', '2']);
    expect(await listed(id)).toMatchObject({ importState: 'Completed', progression: '100 %' });
    expect((await logs(id)).map((log) => log.filename)).toEqual([
      'people_20261122_0230.csv',
      'people_20261121_0230.csv',
    ]);
  });

  test('continues when a night has no file: its log and a notice say so', async () => {
    const { id } = await tester.schedule(nightly(), { filename: '', emailNotification: 'ada@example.com' });
    const failed = await runAt(id, '2026-11-21T01:30:04Z');
    const errorMessage = expect.stringMatching(
      /^The file people_20261121_0230.csv does not exist in sftp\/1 on /,
    );
    expect(failed).toMatchObject({ importState: 'Scheduled', lastImportLog: { errorMessage, totalRows: 0 } });
    expect(scheduledDate(failed)).toBe('2026-11-22T01:30:00.000Z');
    await tester.finish(failed.lastImportLog!.id);

    tester.put('email;name\na@example.com;2\n', 'people_20261122_0230.csv');
    const done = await runAt(id, '2026-11-22T01:30:04Z');
    await tester.finish(done.lastImportLog!.id);
    expect((await logs(id)).map((log) => log.errorMessage)).toEqual([null, errorMessage]);
    const [error, notice] = sink.messages.map(({ raw }) => raw!.toString());
    expect(error).toMatch(/^Subject: Error concerning the import of the file people_20261121_0230\.csv/m);
    expect(error).toContain('The file people_20261121_0230.csv does not exist in sftp');
    expect(error).toContain('Next run 2026-11-22T01:30:00.000Z');
    expect(notice).toMatch(/^Subject: Import of the file people_20261122_0230\.csv \(demo\)/m);
    expect(notice).toContain('Subscribers added: 1');
  });

  test('that fails at its last run ends with that state', async () => {
    const { id } = await tester.schedule(nightly({ endDate: '2026-11-21T12:00:00Z' }), { filename: '' });
    expect((await runAt(id, '2026-11-21T01:30:04Z')).importState).toBe('PackageErrorCreation');
  });

  test('after a stop over several nights runs once, for the last of them, and its notice says so', async () => {
    const { id } = await tester.schedule(nightly(), { filename: '', emailNotification: 'ada@example.com' });
    for (const day of [21, 22, 23, 24]) {
      tester.put(`email;name\n${day}@example.com;x\n`, `people_202611${day}_0230.csv`);
    }
    const done = await runAt(id, '2026-11-24T09:00:00Z');
    expect(done.lastImportLog).toMatchObject({ filename: 'people_20261124_0230.csv' });
    expect(scheduledDate(done)).toBe('2026-11-25T01:30:00.000Z');
    expect(await logs(id)).toHaveLength(1);
    expect((await tester.people()).map(({ email }) => email)).toEqual(['24@example.com']);
    await tester.finish(done.lastImportLog!.id);
    expect(sink.messages[0]!.raw!.toString()).toContain('the runs from 2026-11-21T01:30:00.000Z on');
  });

  test('that was interrupted keeps the file of its night, however late it restarts', async () => {
    const { id } = await tester.schedule(nightly(), { filename: '' });
    tester.put('email;name\na@example.com;x\n', 'people_20261121_0230.csv');
    t.clock.set('2026-11-21T01:30:04Z');
    const cutOff = runImport.run(t.app, { idSite: t.db.site.id, idImport: id, run: 1 }, AbortSignal.abort());
    await expect(cutOff).rejects.toThrow();
    const done = await runAt(id, '2026-11-23T09:00:00Z');
    expect(done.lastImportLog).toMatchObject({ filename: 'people_20261121_0230.csv', nbInserts: 1 });
    expect(scheduledDate(done)).toBe('2026-11-24T01:30:00.000Z');
  });

  test('a job of a run that has ended, or was planned again, does nothing', async () => {
    const { id } = await tester.schedule(nightly({ filenameTemplate: 'same.csv' }), { filename: '' });
    tester.put('email;name\na@example.com;x\n', 'same.csv');
    await runAt(id, '2026-11-21T01:30:04Z');
    const again = () =>
      runImport.run(t.app, { idSite: t.db.site.id, idImport: id, run: 1 }, new AbortController().signal);
    await again();
    expect(await logs(id)).toHaveLength(1);
    await t.call('POST', `/imports/${id}/pause`);
    await t.call('POST', `/imports/${id}/resume`);
    t.clock.set('2026-11-22T01:30:04Z');
    await runImport.run(t.app, { idSite: t.db.site.id, idImport: id, run: 2 }, new AbortController().signal);
    expect(await logs(id)).toHaveLength(1);
    expect((await tester.run(id)).lastImportLog).toMatchObject({ startDate: '2026-11-22T01:30:04.000Z' });
  });

  test('a clock that is behind the queue by a moment loses no run and doubles none', async () => {
    const { id } = await tester.schedule(nightly(), { filename: '' });
    const done = await runAt(id, '2026-11-21T01:29:59.900Z');
    expect(done.lastImportLog).toMatchObject({ filename: 'people_20261121_0230.csv' });
    expect(scheduledDate(done)).toBe('2026-11-22T01:30:00.000Z');
  });

  test.each([
    ['spring', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z', '0300', '2026-03-30T00:30:00.000Z'],
    ['autumn', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z', '0230', '2026-10-26T01:30:00.000Z'],
  ])('in the night of the clock change in %s runs once', async (_season, made, planned, time, next) => {
    t.clock.set(made);
    const created = await tester.schedule(nightly(), { filename: '' });
    expect(scheduledDate(created)).toBe(planned);
    const name = `people_${planned.slice(0, 10).replaceAll('-', '')}_${time}.csv`;
    tester.put('email;name\na@example.com;x\n', name);
    const done = await runAt(created.id, planned);
    expect(done.lastImportLog).toMatchObject({ filename: name, nbInserts: 1 });
    expect(scheduledDate(done)).toBe(next);
    expect(await tester.jobsOf(created.id)).toMatchObject({ 2: next });
  });

  test('keeps one log for each run, by the rules of its table', async () => {
    const { id } = await tester.schedule(nightly(), { filename: '' });
    await runAt(id, '2026-11-21T01:30:04Z');
    const twice = t.db.run(sql`
      insert into ${t.db.t.import_log} (id_import, run, state, log, ended_at)
      values (${id}, 1, 'Completed', '{}', now())`);
    await expect(twice).rejects.toMatchObject({ code: '23505' });
  });
});
