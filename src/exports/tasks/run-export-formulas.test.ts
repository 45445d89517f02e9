import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { exportsOperations } from '../operations.ts';

let t: TestApp;
let tester: ExportTester;
beforeAll(async () => {
  t = await testApp({ operations: exportsOperations });
  await addCustomFields(t.db);
  tester = new ExportTester(t);
});
afterAll(() => t.close());
afterEach(() => tester.clear());

/** A value, and the cell as it is in a file with semicolons: escaped, and as it is. */
const cells: readonly (readonly [value: string, escaped: string, plain: string])[] = [
  ['=1+1', "'=1+1", '=1+1'],
  ['+33612345678', "'+33612345678", '+33612345678'],
  ['-1', "'-1", '-1'],
  ['@SUM(A1)', "'@SUM(A1)", '@SUM(A1)'],
  ['\t=1+1', "'\t=1+1", '\t=1+1'],
  ['\r=1+1', `"'\r=1+1"`, '"\r=1+1"'],
  ['\n=1+1', `"'\n=1+1"`, '"\n=1+1"'],
  ['＝1+1', "'＝1+1", '＝1+1'],
  ['＋1', "'＋1", '＋1'],
  ['－1', "'－1", '－1'],
  ['＠x', "'＠x", '＠x'],
  ['=', "'=", '='],
  ["=cmd|' /c calc'!A0", "'=cmd|' /c calc'!A0", "=cmd|' /c calc'!A0"],
  ['=HYPERLINK("http://x";"y")', `"'=HYPERLINK(""http://x"";""y"")"`, '"=HYPERLINK(""http://x"";""y"")"'],
  ['=1;=2', `"'=1;=2"`, '"=1;=2"'],
  ['=1\r\n=2', `"'=1\r\n=2"`, '"=1\r\n=2"'],
  // Nothing that a cell would begin with: a reader that knows the separator and the quotes sees a text.
  ['a;=1+1', '"a;=1+1"', '"a;=1+1"'],
  ['"=1+1"', '"""=1+1"""', '"""=1+1"""'],
  ['a\n=1+1', '"a\n=1+1"', '"a\n=1+1"'],
  ["'=1+1", "'=1+1", "'=1+1"],
  // Spreadsheets trim what nobody sees, and then read a formula.
  [' =1', "' =1", ' =1'],
  ['\u00a0 +1', "'\u00a0 +1", '\u00a0 +1'],
  ['\u200b@x', "'\u200b@x", '\u200b@x'],
  ['\ufeff\u2060-1', "'\ufeff\u2060-1", '\ufeff\u2060-1'],
  ['\u00ad\u202e＝1', "'\u00ad\u202e＝1", '\u00ad\u202e＝1'],
  ['\u{e0041}=1', "'\u{e0041}=1", '\u{e0041}=1'],
  ['\u0001=1', "'\u0001=1", '\u0001=1'],
  [' a=1', ' a=1', ' a=1'],
  ['  ', '  ', '  '],
  ['a=1', 'a=1', 'a=1'],
  ['é', 'é', 'é'],
  ['', '""', '""'],
];

async function addAll(): Promise<void> {
  for (const [i, [value]] of cells.entries()) await tester.add(`${i}@x.example`, { fld101: value });
}

describe('escapeFormulas', () => {
  test.each([
    [true, 1],
    [false, 2],
    [null, 2],
    [undefined, 2],
  ] as const)(
    '%s: each value that begins like a formula, quoted as any other',
    async (escapeFormulas, at) => {
      await addAll();
      const lines = cells.map((cell, i) => `${i + 1};${cell[at]}\r\n`).join('');
      expect(await tester.text({ idsFields: ['0', '101'], escapeFormulas })).toBe(
        `Identifier;Prénom\r\n${lines}`,
      );
    },
  );

  test('names of fields, and addresses', async () => {
    await t.db.run(sql`update ${t.db.t.field} set name = '=cmd|''x;y''!A1' where id = 101`);
    await tester.add('=1+1@x.example');
    const request = { idsFields: ['101', '1'], escapeFormulas: true };
    expect(await tester.text(request)).toBe(`"'=cmd|'x;y'!A1";Email\r\n;'=1+1@x.example\r\n`);
    // The mark itself is quoted where it separates.
    expect(await tester.text({ ...request, columnSeparator: "'" })).toBe(
      `"'=cmd|'x;y'!A1"'Email\r\n'"'=1+1@x.example"\r\n`,
    );
    await t.db.run(sql`update ${t.db.t.field} set name = 'Prénom' where id = 101`);
  });

  test('the texts of a list, and not its keys; no number, date or Boolean', async () => {
    await t.db.run(sql`
      update ${t.db.t.field} set list = '[{"key": -3, "value": "=1+1"}, {"key": 2, "value": "Lyon"}]' where id = 105`);
    const values = { fld102: -5, fld103: '1815-12-10T00:00:00Z', fld104: true };
    await tester.add('a@x.example', { ...values, fld105: -3 });
    await tester.add('b@x.example', { fld105: 2 });
    await tester.add('c@x.example');
    const request = { idsFields: ['102', '103', '104', '105'], escapeFormulas: true };
    expect((await tester.text(request)).split('\r\n').slice(1)).toEqual([
      '-5;1815-12-10 00:09:21;1;-3',
      ';;;2',
      ';;;',
      '',
    ]);
    expect((await tester.text({ ...request, typeList: 'VALUE' })).split('\r\n').slice(1)).toEqual([
      "-5;1815-12-10 00:09:21;1;'=1+1",
      ';;;Lyon',
      ';;;',
      '',
    ]);
  });

  test('the hash is that of the values as they are', async () => {
    await tester.add('=1+1@x.example', { fld101: '+33' });
    const hash = createHash('sha256').update('+33=1+1@x.example').digest('hex');
    const request = { idsFields: ['101', '1'], idsEncodeFields: ['101', '1'] };
    expect(await tester.text({ ...request, encoding: 'SHA2_256', escapeFormulas: true })).toBe(
      `Prénom;Email;hash\r\n'+33;'=1+1@x.example;${hash}\r\n`,
    );
  });

  test('in code page 1252 a full-width mark becomes ? behind its prefix', async () => {
    await tester.add('a@x.example', { fld101: '＝1+1' });
    const { bytes, done } = await tester.export({ idsFields: ['101'], codePage: 1252, escapeFormulas: true });
    expect(bytes.toString('latin1')).toBe("Prénom\r\n'?1+1\r\n");
    expect(done.nbReplaced).toBe(1);
  });
});
