import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type Import, type ImportParameters, inFull } from '../import.ts';
import { importsOperations } from '../operations.ts';

const mapping = { dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' };
const parameters: ImportParameters = { filename: 'in/people.csv', columnMapping: [mapping] };

describe('createImmediateImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());
  const create = (given: object, as?: 'reader') =>
    t.call('POST', '/imports/immediate', {
      body: { parameters: { ...parameters, ...given } },
      ...(as && { as }),
    });

  it('200 schedules the import in two minutes, with its job', async () => {
    const { status, typeName, data } = await create({ safeMode: true });
    const made: Import = data;
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'Import' });
    expect(made).toEqual({
      id: made.id,
      parameters: inFull({ ...parameters, safeMode: true }),
      creationDate: '2026-11-20T10:00:00.000Z',
      importState: 'Scheduled',
      isDeleted: false,
      deletionDate: null,
      schedulingInfos: { scheduledDate: '2026-11-20T10:02:00.000Z' },
      lastImportLog: null,
    });
    const jobs = await t.db.rows(sql`
      select run_at as "runAt" from graphile_worker.jobs where task_identifier = 'runImport'`);
    expect(jobs).toEqual([{ runAt: new Date('2026-11-20T10:02:00Z') }]);
  });

  it('200 takes an import whose other members are empty', async () => {
    const body = { id: null, parameters, importState: null, lastImportLog: null };
    expect((await t.call('POST', '/imports/immediate', { body })).status).toBe(200);
  });

  it('200 maps as many columns as a site can have fields', async () => {
    const more = Array.from({ length: 400 }, (_, i) => ({ ...mapping, dbFieldName: `fld${101 + i}` }));
    const { status, error } = await create({ columnMapping: [mapping, ...more] });
    expect({ status, error }).toEqual({ status: 200, error: null });
  });

  it.each<[string, object]>([
    ['null stands for what is left out', { startLine: null, columnDelimiter: null, codepage: null }],
    ['a mark in capitals', { textQualifier: '<None>' }],
    ['a qualifier that is spelled out', { textQualifier: '{t}' }],
    [
      'members of other modes that are empty',
      {
        columnMapping: [
          { ...mapping, fixedValue: '', format: '' },
          { dbFieldName: 'fld5', idMappingMode: 2, fixedValue: 'x', fileColumnName: '' },
        ],
      },
    ],
    [
      'anything beside a mapping that is turned off',
      { columnMapping: [mapping, { ...mapping, idMappingMode: 3, fixedValue: 'x', format: 'KEY' }] },
    ],
    [
      'columns that are not imported, with or without a field',
      {
        columnMapping: [
          mapping,
          { idMappingMode: 3, fileColumnName: 'age' },
          { dbFieldName: null, idMappingMode: 3 },
          { dbFieldName: '', idMappingMode: 3 },
        ],
      },
    ],
    [
      'the number of a column',
      { columnNamesFirstLine: false, columnMapping: [{ ...mapping, fileColumnName: '12' }] },
    ],
  ])('200 %s', async (_what, given) => {
    const { status, error } = await create(given);
    expect({ status, error }).toEqual({ status: 200, error: null });
  });

  it.each<[string, object]>([
    ['parameters.filename', { filename: '../people.csv' }],
    ['parameters.filename', { filename: '/etc/passwd' }],
    ['parameters.filename', { filename: 'a\\..\\people.csv' }],
    ['parameters.filename', { filename: `${'x'.repeat(300)}.csv` }],
    ['filename', { filename: 'a\0b' }],
    ['.xls files are not read', { filename: 'people.xls' }],
    ['only XLSX is read', { filename: 'people.ods' }],
    ['this packing is not read', { filename: 'people.7z' }],
    ['parameters.codepage', { codepage: 12345 }],
    ['the code page 37 is not supported', { codepage: 37 }],
    ['parameters.filename', { filename: `${'x'.repeat(245)}.csv` }],
    ['parameters.columnDelimiter: must differ', { columnDelimiter: '\n' }],
    ['parameters.columnDelimiter: must differ', { columnDelimiter: '\\r' }],
    ['parameters.columnDelimiter: must differ', { columnDelimiter: '~', rowDelimiter: '~{LF}' }],
    ['columnDelimiter', { columnDelimiter: '12345678901' }],
    ['rowDelimiter', { rowDelimiter: 'x'.repeat(21) }],
    ['startLine', { startLine: -1 }],
    ['textQualifier: must differ', { columnDelimiter: "'", textQualifier: "'" }],
    ['parameters.textQualifier', { textQualifier: ';' }],
    ['parameters.emailNotification', { emailNotification: 'ada@example.com; nobody' }],
    ['parameters.keyDbFieldName', { keyDbFieldName: 'email' }],
    ['parameters.keyDbFieldName', { keyDbFieldName: 'fld43' }],
    ['columnMapping', { columnMapping: [] }],
    ['idMappingMode', { columnMapping: [{ ...mapping, idMappingMode: 5 }] }],
    ['mapped twice', { columnMapping: [mapping, mapping] }],
    ['columnMapping[1].dbFieldName', { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld1; drop' }] }],
    ['fld0 is filled by the service', { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld0' }] }],
    ['fld2 is filled by the service', { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld2' }] }],
    ['fld37 is filled by the service', { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld37' }] }],
    ['fld42 is filled by the service', { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld42' }] }],
    [
      'fld43 differs',
      { columnMapping: [mapping, { dbFieldName: 'fld43', idMappingMode: 2, fixedValue: '1' }] },
    ],
    [
      'parameters.columnMapping[1].fixedValue: is required',
      { columnMapping: [mapping, { dbFieldName: 'fld5', idMappingMode: 2 }] },
    ],
    ['fileColumnName', { columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1 }] }],
    [
      'parameters.columnMapping[1].dbFieldName: is required',
      { columnMapping: [mapping, { idMappingMode: 1, fileColumnName: 'age' }] },
    ],
    ['colour', { colour: 'red' }],
    ['parameters.startLine: must be', { startLine: 0 }],
    ['parameters.startLine: must be', { startLine: 1.5 }],
    ['parameters.codepage: the code page 0 is not supported', { codepage: 0 }],
    ['parameters.codepage: must be', { codepage: -1252 }],
    ['parameters.columnDelimiter: is empty; omit it for ;', { columnDelimiter: '' }],
    ['parameters.rowDelimiter: is empty; omit it for line ends', { rowDelimiter: '' }],
    ['parameters.textQualifier: must be one character, or <none>', { textQualifier: '' }],
    ['parameters.textQualifier: must be one character, or <none>', { textQualifier: '""' }],
    ['parameters.textQualifier: must be one character, or <none>', { textQualifier: '<nothing>' }],
    ['parameters.keyDbFieldName: must name a field, for example fld1', { keyDbFieldName: '' }],
    ['parameters.keyDbFieldName: must name a field, for example fld1', { keyDbFieldName: 'fld-1' }],
    [
      'parameters.columnMapping: the key, fld1 unless keyDbFieldName names another, must be mapped to a column',
      { columnMapping: [{ ...mapping, idMappingMode: 3 }] },
    ],
    [
      'parameters.columnMapping[0].fileColumnName: must be the number of a column, from 1, because',
      { columnNamesFirstLine: false },
    ],
    [
      'parameters.columnMapping[0].fileColumnName: must be the number of a column, from 1, because',
      { columnNamesFirstLine: false, columnMapping: [{ ...mapping, fileColumnName: '0' }] },
    ],
    [
      'parameters.columnMapping[0].fixedValue: is for idMappingMode 2 only',
      { columnMapping: [{ ...mapping, fixedValue: 'x' }] },
    ],
    [
      'parameters.columnMapping[1].fileColumnName: is for idMappingMode 1 only',
      { columnMapping: [mapping, { ...mapping, dbFieldName: 'fld5', idMappingMode: 2, fixedValue: 'x' }] },
    ],
    [
      'parameters.columnMapping[1].format: is for idMappingMode 1 and 2 only',
      { columnMapping: [mapping, { dbFieldName: 'fld3', idMappingMode: 4, format: 'dd/MM/yyyy' }] },
    ],
    [
      'parameters.columnMapping[1].dbFieldName: fld1 is mapped twice',
      { columnMapping: [mapping, { dbFieldName: 'FLD01', idMappingMode: 1, fileColumnName: 'other' }] },
    ],
  ])('400 names %s', async (named, given) => {
    const { status, error, data } = await create(given);
    expect({ status, data }).toEqual({ status: 400, data: null });
    expect(error).toContain(named);
  });

  it('200 ignores members that only the service sets, so that what was read can be sent back', async () => {
    const zeros = {
      id: 0,
      creationDate: '',
      importState: '',
      isDeleted: false,
      deletionDate: '',
      lastImportLog: {},
    };
    for (const set of [zeros, { id: 7, importState: 'Completed', isDeleted: true }]) {
      const reply = await t.call('POST', '/imports/immediate', { body: { parameters, ...set } });
      expect(reply).toMatchObject({
        status: 200,
        data: { importState: 'Scheduled', isDeleted: false, deletionDate: null, lastImportLog: null },
      });
      expect((reply.data as { id: number }).id).not.toBe(set.id);
    }
  });

  it('400 refuses a date, which another operation takes, and members that nobody knows', async () => {
    for (const set of [{ schedulingInfos: { scheduledDate: '2026-12-24T18:00:00Z' } }, { constructor: 1 }]) {
      const { status } = await t.call('POST', '/imports/immediate', { body: { parameters, ...set } });
      expect(status).toBe(400);
    }
  });

  it('403 without the right to write', async () => {
    expect((await create({}, 'reader')).status).toBe(403);
  });
});
