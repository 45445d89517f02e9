import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { base, column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import type { ImportParameters } from '../import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

describe('values', () => {
  const all = [
    column(1, 'email'),
    column(101, 'text'),
    column(102, 'int'),
    column(103, 'date', 'dd/MM/yyyy HH:mm'),
  ];
  const mapped = [...all, column(104, 'bool'), column(105, 'list', 'VALUE')];
  const read = sql`fld101 as text, fld102 as int, fld103 as date, fld104 as bool, fld105 as list`;

  test('of each type, trimmed of non-breaking spaces, in NFC; an empty cell empties', async () => {
    const text = 'email;text;int;date;bool;list\n';
    await tester.import(
      `${text}a@example.com;\u00a0E\u0301lodie\u00a0;+12;01/07/2026 12:30;oui; nîmes\u00a0\n`,
      { columnMapping: mapped },
    );
    expect(await tester.people(read)).toEqual([
      { text: 'Élodie', int: 12, date: new Date('2026-07-01T10:30:00Z'), bool: true, list: -3 },
    ]);
    await tester.import(`${text}a@example.com;;;;;\n`, { columnMapping: mapped });
    expect(await tester.people(read)).toEqual([
      { text: null, int: null, date: null, bool: null, list: null },
    ]);
  });

  test('that do not fit refuse their row and name the field', async () => {
    const bad = ['x'.repeat(300), '1.5', '31/02/2026 00:00', 'maybe', 'Rome'];
    const rows = bad.map((cell, i) => `a@example.com${';'.repeat(i + 1)}${cell}${';'.repeat(5 - i - 1)}`);
    const log = await tester.import(`email;text;int;date;bool;list\n${rows.join('\n')}\n`, {
      columnMapping: mapped,
    });
    expect(log).toMatchObject({ nbErrorRows: 5, nbInserts: 0 });
    for (const id of [101, 102, 103, 104, 105]) expect(tester.errorFile()).toContain(`Field ${id}`);
  });

  test('fixed ones, none, and the time of the import', async () => {
    await tester.import('email;name;x\na@example.com;N;ignored\n', {
      columnMapping: [
        column(1, 'email'),
        { dbFieldName: 'fld101', idMappingMode: 2, fixedValue: "'; drop table subscriber --" },
        { dbFieldName: 'fld102', idMappingMode: 3, fileColumnName: 'x' },
        { dbFieldName: 'fld103', idMappingMode: 4 },
        { dbFieldName: 'fld105', idMappingMode: 2, fixedValue: 'Lyon', format: 'VALUE' },
      ],
    });
    expect(await tester.people(read)).toMatchObject([
      { text: "'; drop table subscriber --", int: null, date: t.clock.now(), list: 2 },
    ]);
  });

  test('that COPY would read as its own signs stay as they are', async () => {
    await tester.import('email|name\na@example.com|"\\N \\.\tx\\\ny"\n', { columnDelimiter: '|' });
    expect(await tester.people()).toMatchObject([{ name: '\\N \\.\tx\\\ny' }]);
  });
});

describe('files', () => {
  test('in code page 1252, with another delimiter, from a line, without names', async () => {
    const text = 'Report of the day\r\n\r\na@example.com,Zoë €\r\n';
    const log = await tester.import(iconv.encode(text, 'win1252'), {
      codepage: 1252,
      columnDelimiter: ',',
      startLine: 3,
      columnNamesFirstLine: false,
      columnMapping: [column(1, '1'), column(101, '2')],
    });
    expect(log.totalRows).toBe(1);
    expect(await tester.people()).toMatchObject([{ name: 'Zoë €' }]);
  });

  test.each([
    ['is long', 'a@example.com;odd;x'],
    ['is short', 'a@example.com'],
  ])('without names whose first row %s: that one is refused, not all others', async (_what, odd) => {
    const columnMapping = [column(1, '1'), column(101, '2')];
    const rows = Array.from({ length: 5_000 }, (_, i) => `u${i}@example.com;x\n`);
    const log = await tester.import(`${odd}\n${rows.join('')}`, {
      columnNamesFirstLine: false,
      columnMapping,
    });
    expect(log).toMatchObject({ nbInserts: 5_000, nbBadFormattedRows: 1, badFormattedRowNumbers: '1' });
  });

  test('.gz, in a sub-directory', async () => {
    await tester.import(gzipSync('email;name\na@example.com;x\n'), { filename: 'in/people.csv.gz' });
    expect(await tester.people()).toHaveLength(1);
  });

  test('of many pieces', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `user${i}@example.com;"Name ${i}; of ""many"""`);
    const log = await tester.import(`email;name\n${rows.join('\n')}`);
    expect(log).toMatchObject({ totalRows: 20_000, nbInserts: 20_000 });
    expect(await tester.people(sql`fld101 as name`)).toContainEqual({ name: 'Name 19999; of "many"' });
  });
});

async function cannotStart(
  content: string | Buffer | undefined,
  parameters: Partial<ImportParameters> = {},
): Promise<string> {
  if (content !== undefined) tester.put(content, parameters.filename);
  const done = await tester.run((await tester.make(parameters)).id);
  expect(done.importState).toBe('PackageErrorCreation');
  expect(await tester.people()).toEqual([]);
  return done.lastImportLog!.errorMessage!;
}

describe('PackageErrorCreation, with a text', () => {
  test.each<[string, string | Buffer | undefined, Partial<ImportParameters>, RegExp]>([
    ['no such file', undefined, {}, /people\.csv does not exist/],
    ['an empty file', '', {}, /is empty/],
    ['no such column', 'email;other\na@example.com;x\n', {}, /no column name: it has email, other$/],
    ['a column twice', 'email;name;Name; name\n', {}, /has the column name twice, as column 2 and 4$/],
    [
      'no such column number',
      'a@example.com;x\n',
      { columnNamesFirstLine: false, columnMapping: [column(1, '1'), column(101, '3')] },
      /no column 3: it has 1 to 2$/,
    ],
    [
      'no such field',
      'email;name\n',
      { columnMapping: [...base.columnMapping, column(199, 'name')] },
      /Unknown field fld199/,
    ],
    [
      'no such key',
      'email;name\n',
      { keyDbFieldName: 'fld199', columnMapping: [...base.columnMapping, column(199, 'name')] },
      /^keyDbFieldName: the key fld199 is unknown/,
    ],
    ['a broken .gz', 'email;name\n', { filename: 'a.gz' }, /cannot be unpacked/],
    [
      'a bomb',
      gzipSync(Buffer.alloc(30_000_000, 'email;name\n')),
      { filename: 'b.gz' },
      /grows more than 100 times/,
    ],
    ['broken names', '"email;name\na@example.com;x', {}, /column names the text qualifier is not closed/],
    [
      'a fixed value that does not fit',
      'email;name\n',
      {
        columnMapping: [base.columnMapping[0]!, { dbFieldName: 'fld102', idMappingMode: 2, fixedValue: 'x' }],
      },
      /Field 102/,
    ],
    [
      'the time for a text',
      'email;name\n',
      { columnMapping: [base.columnMapping[0]!, { dbFieldName: 'fld101', idMappingMode: 4 }] },
      /only a Date/,
    ],
    [
      'a date as the key',
      'email;name\n',
      { keyDbFieldName: 'fld103', columnMapping: [column(103, 'name')] },
      /cannot be the key/,
    ],
    [
      'a format that is none',
      'email;name\n',
      { columnMapping: [base.columnMapping[0]!, column(103, 'name', 'MM/yyyy')] },
      /must name day/,
    ],
  ])('for %s', async (_what, content, parameters, message) => {
    expect(await cannotStart(content, parameters)).toMatch(message);
  });

  test('for a name that an older version let in', async () => {
    expect(await cannotStart(undefined, { filename: '../other/people.csv' })).toMatch(
      /leaves the repository/,
    );
  });
});
