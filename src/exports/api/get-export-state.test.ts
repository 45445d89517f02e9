import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { exportsOperations } from '../operations.ts';

describe('getExportState', () => {
  let t: TestApp;
  let tester: ExportTester;
  beforeAll(async () => {
    t = await testApp({ operations: exportsOperations });
    tester = new ExportTester(t);
  });
  afterAll(() => t.close());
  const state = (idExport: number | string) =>
    t.call('GET', '/exports/state', { query: { idExport }, as: 'reader' });

  it('200 for an export that waits, and for the same once it is written', async () => {
    await tester.add('ada@example.com');
    const idExportJob = await tester.create({ exportSubFolder: 'out', compress: 'GZip' });
    const waiting = {
      idExportJob,
      name: 'people.csv.gz',
      jobCreationDate: '2026-11-20T10:00:00.000Z',
      idExportJobFtp: 0,
      lastExecutionStartDate: null,
      lastExecutionEndDate: null,
      filepath: null,
      nbLines: null,
      exportJobState: 'SCHEDULED',
      author: 'Ada',
    };
    const { status, data, typeName } = await state(idExportJob);
    expect({ status, data, typeName }).toEqual({ status: 200, data: waiting, typeName: 'ExportState' });
    t.clock.set('2026-11-20T10:05:00Z');
    await tester.run(idExportJob);
    expect((await state(idExportJob)).data).toEqual({
      ...waiting,
      lastExecutionStartDate: '2026-11-20T10:05:00.000Z',
      lastExecutionEndDate: '2026-11-20T10:05:00.000Z',
      filepath: 'out/people.csv.gz',
      nbLines: 1,
      exportJobState: 'COMPLETED',
    });
  });

  it('200 without an author once the user no longer exists', async () => {
    const idExport = await tester.create();
    await t.db.run(sql`update ${t.db.t.export_job} set id_user = 999999 where id = ${idExport}`);
    expect((await state(idExport)).data).toMatchObject({ author: null });
  });

  it('200 and null for an unknown one', async () => {
    expect(await state(999_999)).toMatchObject({ status: 200, data: null, success: true });
  });

  it('400 for an invalid id', async () => {
    expect((await state('x')).status).toBe(400);
    expect((await t.call('GET', '/exports/state')).status).toBe(400);
  });
});
