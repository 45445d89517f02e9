import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encodingOf } from '../../files/code-page.ts';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { textRow, workbookParts, zipOf } from '../../testing/make-workbook.ts';
import type { ImportParameters } from '../import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

const byNumber = { columnNamesFirstLine: false, columnMapping: [column(1, '1'), column(101, '2')] };

/** A file in the signs of its parameters: a valid row, one without an address, one with a column too few. */
function fileOf(parameters: Partial<ImportParameters>, name: string): Buffer {
  const spelled = (text: string) => text.replace('{t}', '\t').replace('{CR}', '\r');
  const delimiter = spelled(parameters.columnDelimiter ?? ';');
  const given = parameters.textQualifier ?? '"';
  const quote = given === '<none>' ? '' : given;
  const rows = [
    ...(parameters.columnNamesFirstLine === false ? [] : [['email', 'name']]),
    ['ok@example.com', 'fine'],
    ['nobody', quote + name + quote],
    ['short@example.com'],
  ];
  const above = Array.from({ length: (parameters.startLine ?? 1) - 1 }, () => ['anything']);
  const rowEnd = spelled(parameters.rowDelimiter ?? '\n');
  const text = [...above, ...rows].map((cells) => cells.join(delimiter) + rowEnd).join('');
  return iconv.encode(text, encodingOf(parameters.codepage ?? 65001)!);
}

describe('the file of bad rows', () => {
  test.each<[string, Partial<ImportParameters>, string?]>([
    ['as usual', {}],
    ['with line ends inside a cell', {}, 'É "x"\n; 5 €'.replaceAll('"', '""')],
    ['in another code page', { codepage: 1252 }],
    ['in UTF-16', { codepage: 1200 }],
    [
      'with a tabulator, an apostrophe and CR',
      { columnDelimiter: '{t}', textQualifier: "'", rowDelimiter: '{CR}' },
    ],
    ['with signs of several characters', { columnDelimiter: '||', rowDelimiter: '~\n' }, 'a|b~c'],
    ['without a text qualifier', { columnDelimiter: ',', textQualifier: '<none>' }, 'É "x"'],
    ['from a line on', { startLine: 4 }],
    ['without names', byNumber],
    ['without names, from a line on, in rows of its own', { ...byNumber, startLine: 3, rowDelimiter: '§' }],
  ])('is mended and imported with the same parameters: %s', async (_what, parameters, name = 'É ; 5 €') => {
    const log = await tester.import(fileOf(parameters, name), parameters);
    expect(log).toMatchObject({ nbInserts: 1, nbErrorRows: 1, nbBadFormattedRows: 1 });
    const bad = tester.errorFile();
    const again = { ...parameters, filename: 'people.csv.errors.csv' };
    // As it is, it is refused as it was: above all the row that is too short does not empty a name.
    expect(await tester.import(bad, again)).toMatchObject({
      totalRows: 2,
      nbInserts: 0,
      nbErrorRows: 1,
      nbBadFormattedRows: 1,
    });
    const delimiter = (parameters.columnDelimiter ?? ';').replace('{t}', '\t');
    const mended = bad
      .replace('nobody', 'now@example.com')
      .replace('short@example.com', `$&${delimiter}long`);
    expect(await tester.import(mended, again)).toMatchObject({ totalRows: 2, nbInserts: 2 });
    expect((await tester.people()).map((one) => one.name)).toEqual([
      'fine',
      name.replaceAll('""', '"'),
      'long',
    ]);
  });

  test('holds nothing of the row ends of a file with CR LF, so that a fixed value has no CR', async () => {
    const rows = ['email;name', 'ada@example.com;"Ada', 'bob@example.com;"Bob" B', 'nobody;"Cy"', ''];
    await tester.import(rows.join('\r\n'));
    const bad = tester.errorFile();
    expect(bad.replaceAll('\r\n', '')).not.toContain('\r');
    const mended = bad
      .replace('"""Ada"', 'Ada')
      .replace('"""Bob"" B"', 'Bob')
      .replace('nobody', 'cy@example.com');
    const log = await tester.import(mended, { filename: 'mended.csv' });
    expect(log).toMatchObject({ nbInserts: 3, nbErrorRows: 0, nbBadFormattedRows: 0 });
    expect((await tester.people()).map((one) => one.name)).toEqual(['Ada', 'Bob', 'Cy']);
  });

  test('of a sheet is imported with the parameters of the sheet', async () => {
    const rows = textRow(1, ['list']) + textRow(2, ['email', 'name']) + textRow(4, ['nobody', 'a;&quot;b']);
    const parameters = { sheetName: 'Sheet1', startLine: 2 };
    await tester.import(await zipOf(workbookParts({ rows })), { ...parameters, filename: 'people.xlsx' });
    const mended = tester.errorFile('people.xlsx').replace('nobody', 'now@example.com');
    const log = await tester.import(mended, { ...parameters, filename: 'mended.csv' });
    expect(log).toMatchObject({ totalRows: 1, nbInserts: 1 });
    expect(await tester.people()).toMatchObject([{ name: 'a;"b' }]);
  });

  test('of a sheet with real dates is imported with the format that its texts have', async () => {
    const texts = (...cells: string[]) =>
      cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('');
    const rows = `<row>${texts('email', 'day')}</row><row>${texts('nobody')}<c s="1"><v>45000</v></c></row>`;
    const book = workbookParts({ rows, styles: '<xf numFmtId="0"/><xf numFmtId="14"/>' });
    const columnMapping = [column(1, 'email'), column(103, 'day', 'dd/MM/yyyy')];
    await tester.import(await zipOf(book), { columnMapping, filename: 'people.xlsx' });
    const mended = tester.errorFile('people.xlsx').replace('nobody', 'now@example.com');
    expect(await tester.import(mended, { columnMapping, filename: 'mended.csv' })).toMatchObject({
      nbInserts: 1,
    });
    expect(await tester.people(sql`fld103 as day`)).toEqual([{ day: new Date('2023-03-14T23:00:00Z') }]);
  });

  test('finds its columns among those of the file, even when they have the names of its own', async () => {
    const columnMapping = [column(1, 'row'), column(101, 'reason')];
    await tester.import('row;reason\nnobody;theirs\n', { columnMapping });
    const mended = tester.errorFile().replace('nobody', 'now@example.com');
    expect(mended).toMatch(/^\ufeffrow;reason;_row;_reason\r\n/);
    await tester.import(mended, { columnMapping, filename: 'mended.csv' });
    expect(await tester.people()).toMatchObject([{ email: 'now@example.com', name: 'theirs' }]);
  });

  test('leaves formulas as they are: it is read by this program again', async () => {
    const cells = ['=1+1', '+33', '-5', '@SUM(A1)', '=cmd|calc'];
    await tester.import(`email;name\n${cells.map((cell) => `nobody;${cell}\n`).join('')}`);
    const lines = tester.errorFile().trim().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(';')[1])).toEqual(cells);
  });

  test('has the reasons of the database too, in the order in which they are found', async () => {
    await tester.add('ada@example.com', 'Ada', { client: 1 });
    const columnMapping = [column(1, 'email'), column(43, 'client')];
    await tester.import('email;client\nnew@example.com;1\nnobody;2\n', { columnMapping });
    expect(readFileSync(join(tester.folder, 'people.csv.errors.csv'), 'utf8').split('\r\n')).toEqual([
      '\ufeffemail;client;row;reason',
      'nobody;2;3;column email, Field 1 (Email): not an email address',
      'new@example.com;1;2;the client identifier belongs to subscriber 1',
      '',
    ]);
  });

  test('lists all rows that the database refuses, with their cells, more than fit a hundred thousand', async () => {
    await tester.add('ada@example.com', 'Ada', { client: 1 });
    const count = 100_500;
    const rows = Array.from({ length: count }, (_, i) => `u${i}@example.com;${i === 7 ? 2 : 1}\n`);
    const columnMapping = [column(1, 'email'), column(43, 'client')];
    const log = await tester.import(`email;client\n${rows.join('')}`, { columnMapping });
    expect(log).toMatchObject({ nbInserts: 1, nbErrorRows: count - 1 });
    const lines = tester.errorFile().trimEnd().split('\r\n').slice(1);
    expect(lines).toHaveLength(count - 1);
    const expected = (i: number) =>
      `u${i}@example.com;1;${i + 2};the client identifier belongs to subscriber 1`;
    expect(lines.filter((line, i) => line !== expected(i < 7 ? i : i + 1))).toEqual([]);
  });
});
