import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { textRow, workbookParts, zipOf } from '../../testing/make-workbook.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

const columnMapping = [
  column(1, 'email'),
  column(101, 'text'),
  column(102, 'int'),
  column(103, 'date', 'dd/MM/yyyy HH:mm'),
  column(104, 'bool'),
  column(105, 'list', 'VALUE'),
];
const read = sql`fld1 as email, fld101 as text, fld102 as int, fld103 as date, fld104 as bool, fld105 as list`;
const head = textRow(2, ['email', 'text', 'int', 'date', 'bool', 'list']);
const cell = (type: string, value: string | number) => `<c t="${type}"><v>${value}</v></c>`;
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;

/** Two valid rows, the one with real dates and numbers, the other with texts; three that are not. */
const rows = [
  `<row r="1">${text('Members, exported on Monday')}</row>`,
  head,
  `<row r="3">${text('a@example.com')}${cell('s', 0)}${cell('n', 12)}`,
  `<c s="1"><v>46204.520833333336</v></c>${cell('b', 1)}${text('Nîmes')}</row>`,
  `<row r="4">${text('b@example.com')}${cell('n', 75001)}${text('+7')}${text('01/07/2026 12:30')}${text('non')}</row>`,
  `<row r="5">${text('c@example.com')}${text('x')}${cell('e', '#REF!')}</row>`,
  `<row r="6">${text('d@example.com')}${text('x')}<c><f>A1</f></c></row>`,
  `<row r="8">${text('e@example.com')}<c r="H8"><v>1</v></c></row>`,
].join('');
const book = () =>
  zipOf(
    workbookParts({
      rows,
      strings: '<si><t>E\u0301lodie\u00a0</t></si>',
      styles: '<xf numFmtId="0"/><xf numFmtId="22"/>',
      sheets: ['Membres', 'Autre'],
    }),
  );
const date = new Date('2026-07-01T10:30:00Z');
const people = [
  { email: 'a@example.com', text: 'Élodie', int: 12, date, bool: true, list: -3 },
  { email: 'b@example.com', text: '75001', int: 7, date, bool: false, list: null },
];

test('a sheet with dates, numbers, truths, texts, errors and formulas, from its third row on', async () => {
  const log = await tester.import(await book(), {
    filename: 'people.xlsx',
    sheetName: 'membres',
    startLine: 2,
    columnMapping,
  });
  expect(await tester.people(read)).toEqual(people);
  expect(log).toMatchObject({
    totalRows: 5,
    nbErrorRows: 2,
    nbBadFormattedRows: 1,
    badFormattedRowNumbers: '5,6,8',
  });
  expect(tester.errorFile('people.xlsx').split('\r\n')).toEqual([
    '\ufeff',
    'email;text;int;date;bool;list;row;reason',
    'c@example.com;x;#REF!;;;;5;column int, Field 102 (Points): the error #REF!',
    'd@example.com;x;;;;;6;column int, Field 102 (Points): a formula without its result',
    'e@example.com;;;;;;;1;8;has 8 columns instead of 6',
    '',
  ]);
});

test('a sheet without names has as many columns as are mapped', async () => {
  const file = await zipOf(
    workbookParts({ rows: textRow(1, ['a@example.com']) + textRow(2, ['b@example.com', 'B']) }),
  );
  const mapping = [column(1, '1'), column(101, '2')];
  const log = await tester.import(file, {
    filename: 'people.xlsx',
    columnNamesFirstLine: false,
    columnMapping: mapping,
  });
  expect(log).toMatchObject({ nbInserts: 2, nbErrorRows: 0 });
  expect((await tester.people()).map(({ name }) => name)).toEqual([null, 'B']);
});

test('.xlsx.gz, and .zip with a workbook or a CSV in it', async () => {
  const csv = 'email;text;int;date;bool;list\nz@example.com;Z;;;;\n';
  const given: [string, Buffer][] = [
    ['people.xlsx.gz', gzipSync(await book())],
    ['people.zip', await zipOf({ 'in/people.xlsx': await book() })],
    ['csv.zip', await zipOf({ 'in/people.csv': csv })],
  ];
  for (const [filename, content] of given)
    await tester.import(content, {
      filename,
      columnMapping,
      ...(filename.startsWith('p') && { startLine: 2 }),
    });
  expect(await tester.people(read)).toEqual([
    ...people,
    { ...people[1], email: 'z@example.com', text: 'Z', int: null, date: null, bool: null },
  ]);
});

test('PackageErrorCreation names the sheets there are', async () => {
  tester.put(await book(), 'people.xlsx');
  const made = await tester.make({ filename: 'people.xlsx', sheetName: 'Feuil1', columnMapping });
  const done = await tester.run(made.id);
  expect(done.importState).toBe('PackageErrorCreation');
  expect(done.lastImportLog?.errorMessage).toBe('The workbook has no sheet Feuil1: it has Membres, Autre');
});
