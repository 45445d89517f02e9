import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../testing/app.ts';
import { column, type ImportTester, importApp } from '../testing/import-tester.ts';
import type { ImportParameters } from './import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

const again = 'people.csv.errors.csv';
const lines = (name?: string) => tester.errorFile(name).replace('\ufeff', '').trimEnd().split('\r\n');

describe('a list of rejected rows that is imported', () => {
  // What the list of the second round holds, and that of the third one: never more than two columns of ours.
  test.each<[string, string, string[], Partial<ImportParameters>?]>([
    [
      'has its numbers and reasons once',
      'email;name\nnobody;x\nno one;"a;b"\n',
      [
        'email;name;row;reason',
        'nobody;x;2;column email, Field 1 (Email): not an email address',
        'no one;"a;b";3;column email, Field 1 (Email): not an email address',
      ],
    ],
    [
      'also where rows are short, long, or were not closed',
      'email;name\nshort@example.com\na@example.com;b;c\nd@example.com;"e\n',
      [
        'email;name;row;reason',
        'short@example.com;2;has 1 columns instead of 2',
        'a@example.com;b;c;3;has 3 columns instead of 2',
      ],
    ],
    [
      'also where the file has columns of these names itself',
      'email;name;row;reason;more\nnobody;x;1;2;3\n',
      [
        'email;name;row;reason;more;_row;_reason',
        'nobody;x;1;2;3;2;column email, Field 1 (Email): not an email address',
      ],
    ],
    [
      'also without names, by the name of the file',
      'nobody;x\na@example.com;b;c\n',
      [
        'nobody;x;1;column 1, Field 1 (Email): not an email address',
        'a@example.com;b;c;2;has 3 columns instead of 2',
      ],
      { columnNamesFirstLine: false, columnMapping: [column(1, '1'), column(101, '2')] },
    ],
    [
      'also without names, where the first row and most others have another width',
      'a@example.com;b;c\nd@example.com;e;f\nok@example.com;1\nfine@example.com;2\nwell@example.com;3\n',
      ['a@example.com;b;c;1;has 3 columns instead of 2', 'd@example.com;e;f;2;has 3 columns instead of 2'],
      { columnNamesFirstLine: false, columnMapping: [column(1, '1'), column(101, '2')] },
    ],
    [
      'also where the columns of these names are mapped: they are theirs',
      'row;reason\nnobody;x\n',
      ['row;reason;_row;_reason', 'nobody;x;2;column row, Field 1 (Email): not an email address'],
      { columnMapping: [column(1, 'row'), column(101, 'reason')] },
    ],
  ])('%s', async (_what, text, list, parameters = {}) => {
    await tester.import(text, parameters);
    const first = lines();
    let name = again;
    for (let round = 2; round <= 3; round++) {
      await tester.import(tester.errorFile(name.slice(0, -'.errors.csv'.length)), {
        ...parameters,
        filename: name,
      });
      expect(lines(name)).toEqual(list);
      expect(first.slice(0, list.length)).toEqual(list);
      name += '.errors.csv';
    }
  });

  test('is fixed by a cell in its place, or with our cells removed; not by one behind them', async () => {
    await tester.import('email;name\na@example.com\nb@example.com\nc@example.com\n');
    const [head, a, , c] = lines();
    const log = await tester.import(
      [head, a?.replace(';', ';A;'), 'b@example.com;B', `${c};C`, ''].join('\r\n'),
      { filename: again },
    );
    expect(log).toMatchObject({ nbInserts: 2, nbBadFormattedRows: 1 });
    expect(await tester.people()).toMatchObject([
      { email: 'a@example.com', name: 'A' },
      { email: 'b@example.com', name: 'B' },
    ]);
    expect(lines(again)).toEqual([
      'email;name;row;reason',
      'c@example.com;4;has 1 columns instead of 2;C;4;has 4 columns instead of 2',
    ]);
  });
});

describe('any other file keeps its columns', () => {
  test.each<[string, string, string, Partial<ImportParameters>?]>([
    [
      'of other names',
      'email;name;row;why\nnobody;x;1;2\n',
      'nobody;x;1;2;2;column email, Field 1 (Email): not an email address',
    ],
    [
      'in another order',
      'email;name;reason;row\nnobody;x;1;2\n',
      'nobody;x;1;2;2;column email, Field 1 (Email): not an email address',
    ],
    [
      'one of which is mapped',
      'email;row;reason\nnobody;1;x\n',
      'nobody;1;x;2;column email, Field 1 (Email): not an email address',
      { columnMapping: [column(1, 'email'), column(101, 'reason')] },
    ],
    [
      'without names and with another name',
      'nobody;1;x\n',
      'nobody;1;x;1;column 1, Field 1 (Email): not an email address',
      { columnNamesFirstLine: false, columnMapping: [column(1, '1')] },
    ],
  ])('%s', async (_what, text, line, parameters) => {
    await tester.import(text, parameters);
    expect(lines().at(-1)).toBe(line);
  });
});
