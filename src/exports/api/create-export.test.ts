import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import type { ExportRequest, ExportState } from '../export.ts';
import { exportsOperations } from '../operations.ts';

describe('createExport', () => {
  let t: TestApp;
  let tester: ExportTester;
  beforeAll(async () => {
    t = await testApp({ operations: exportsOperations });
    tester = new ExportTester(t);
  });
  afterAll(() => t.close());
  afterEach(() => tester.clear());
  const create = async (given: object, as: 'reader' | 'sender' = 'sender') =>
    t.call('POST', '/exports', { body: { ...(await tester.request()), ...given }, as });
  const tooMany = 'Error, too many exports in progress (max 10)';

  it('200 schedules it with its job', async () => {
    const { status, data, typeName } = await create({});
    expect({ status, data, typeName }).toEqual({ status: 200, data: true, typeName: 'Boolean' });
    const state: ExportState = (await t.call('GET', '/exports/state/last')).data;
    expect(state).toMatchObject({ exportJobState: 'SCHEDULED', filepath: null, nbLines: null });
    const jobs = await tester.jobs('runExport');
    expect(jobs.map((job) => job.payload.idExport)).toEqual([state.idExportJob]);
  });

  it('200 takes as many columns as a site can have fields', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.field} (id, name, field_type)
      select n, 'f' || n, 'Integer' from generate_series(201, 600) n`);
    const fields = await t.db.rows<{ id: number }>(sql`select id from ${t.db.t.field}`);
    const idsFields = fields.map(({ id }) => String(id));
    expect(idsFields.length).toBeGreaterThan(400);
    const { status, error } = await create({ idsFields });
    expect({ status, error }).toEqual({ status: 200, error: null });
    await t.db.run(sql`delete from ${t.db.t.field} where id > 200`);
  });

  it('200 takes members that are null, empty or 0 for omitted', async () => {
    const none = { filename: '', exportSubFolder: '', columnSeparator: '', compress: null, quantity: null };
    const { status } = await create({ ...none, idRepository: 0, codePage: 0, idNewLineCharacter: 0 });
    expect(status).toBe(200);
    const { data } = await t.call('GET', '/exports/state/last');
    expect(data).toMatchObject({ name: expect.stringMatching(/^export_demo_\d+_20261120110000\.csv$/) });
  });

  it.each<[string, Record<string, unknown>]>([
    ['idTarget', { idTarget: null }],
    ['idsFields', { idsFields: [] }],
    ['idsFields[0]', { idsFields: ['email'] }],
    ['idsFields[0]', { idsFields: ['fld1; drop table x'] }],
    ['idsFields[1]', { idsFields: ['1', 'FLD1'] }],
    ['idsFields', { idsFields: [1] }],
    ['idsFields: there is no field fld9999', { idsFields: ['9999'] }],
    ['idsFields', { idsFields: Array(1_000).fill('1') }],
    ['idsEncodeFields: there is no field fld170', { idsEncodeFields: ['170'] }],
    ['encoding', { encoding: 'SHA256' }],
    ['encoding', { encoding: undefined }],
    ['typeList', { typeList: 'id' }],
    ['compress', { compress: 'gzip' }],
    ['quantity', { quantity: -1 }],
    ['quantity', { quantity: 2 ** 31 }],
    ['codePage', { codePage: 437 }],
    ['idNewLineCharacter', { idNewLineCharacter: 3 }],
    ['columnSeparator', { columnSeparator: '"' }],
    ['columnSeparator', { columnSeparator: '?' }],
    ['columnSeparator', { columnSeparator: '\n' }],
    ['columnSeparator', { columnSeparator: ';;' }],
    ['columnSeparator', { columnSeparator: '7' }],
    ['columnSeparator', { columnSeparator: '§' }],
    ['escapeFormulas', { escapeFormulas: 'yes' }],
    ['escapeFormulas: not with encoding None', { escapeFormulas: true, idsEncodeFields: ['1'] }],
    ['colour', { colour: 'red' }],
    ['idUser', { idUser: 7 }],
    ['state', { state: 'COMPLETED' }],
  ])('400 names %s', async (named, given) => {
    const { status, error, data } = await create(given);
    expect({ status, data }).toEqual({ status: 400, data: null });
    expect(error).toContain(named);
  });

  it.each([
    '../people.csv',
    '..',
    '.',
    'a/../../people.csv',
    '/etc/passwd',
    'C:\\people.csv',
    'C:people.csv',
    '..\\people.csv',
    'people.csv.',
    'people.csv ..',
    'people\u2215x.csv',
    '..\uff0fpeople.csv',
    'people.csv\0.gz',
    'people\r\n.csv',
    '.ssh',
    'a|b',
    `${'x'.repeat(300)}.csv`,
    'é'.repeat(200),
  ])('400 refuses %j as a name and as a folder', async (name) => {
    for (const member of ['filename', 'exportSubFolder']) {
      const { status, error } = await create({ [member]: name });
      // A folder may have folders in it; the rest is the same.
      expect({ status, error }).toMatchObject({ status: 400, error: expect.stringContaining(member) });
    }
    expect(tester.files()).toEqual([]);
  });

  it('400 for a folder in the name, and for a path that is too long', async () => {
    expect((await create({ filename: 'a/b.csv' })).error).toContain('exportSubFolder names the folder');
    const deep = Array(6).fill('x'.repeat(170)).join('/');
    expect((await create({ exportSubFolder: deep })).error).toContain('at most 1024 characters');
    const wide = Array(3).fill('é'.repeat(127)).concat('x'.repeat(150)).join('/');
    expect((await create({ exportSubFolder: wide })).error).toContain('longer than 900 bytes');
    const name = 'é'.repeat(125);
    expect((await create({ exportSubFolder: wide.slice(0, -15), filename: name })).error).toContain(
      'longer than 1024 bytes',
    );
  });

  it('404 for an unknown target or repository, and for those of another site', async () => {
    const idRepository = await makeRepository(t.otherDb, t.app.secrets);
    for (const idTarget of [await foreignTarget(t), 999_999]) {
      const { status, error } = await create({ idTarget });
      expect({ status, error }).toEqual({ status: 404, error: 'Target not found' });
    }
    for (const id of [idRepository, 999_999]) {
      const { status, error } = await create({ idRepository: id });
      expect({ status, error }).toEqual({ status: 404, error: 'idRepository: Repository not found' });
    }
    expect(await tester.jobs('runExport')).toEqual([]);
  });

  it('429 for the eleventh that is scheduled or running, in the words of the document', async () => {
    for (let i = 0; i < 10; i++) expect((await create({})).status).toBe(200);
    await t.db.run(sql`update ${t.db.t.export_job} set state = 'RUNNING' where id % 2 = 0`);
    const { status, error, headers } = await create({});
    expect({ status, error }).toEqual({ status: 429, error: tooMany });
    expect(headers['retry-after']).toBe('30');
    // Nothing of the one that was refused is there, and an end makes room.
    expect(await tester.jobs('runExport')).toHaveLength(10);
    await t.db.run(sql`update ${t.db.t.export_job} set state = 'FAILED' where id = 1`);
    expect((await create({})).status).toBe(200);
  });

  it('429 for all but ten of thirty that come at once', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => create({})));
    expect(replies.filter((one) => one.status === 200)).toHaveLength(10);
    expect(replies.filter((one) => one.status === 429).map((one) => one.error)).toEqual(
      Array(20).fill(tooMany),
    );
    const { nb } = await t.db.one<{ nb: number }>(sql`select count(*) as nb from ${t.db.t.export_job}`);
    expect([nb, (await tester.jobs('runExport')).length]).toEqual([10, 10]);
  });

  it('403 without the right to write', async () => {
    expect((await create({}, 'reader')).status).toBe(403);
  });

  it('keeps the request as it was sent', async () => {
    const request: ExportRequest = await tester.request({ idsFields: ['fld1', '7'], columnSeparator: 'Tab' });
    await tester.create({ idsFields: ['fld1', '7'], columnSeparator: 'Tab' });
    const row = await t.db.one<{ request: object }>(sql`select request from ${t.db.t.export_job}`);
    expect(row.request).toEqual(request);
  });
});
