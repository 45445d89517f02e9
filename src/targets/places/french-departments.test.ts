import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestSite, testSite } from '../../testing/site.ts';
import { departmentOf, frenchDepartments } from './french-departments.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

test('every department that a postcode can be in has a name, and none else has one', async () => {
  const rows = await site.db.rows<{ department: string }>(sql`
    select distinct facteur.french_department(lpad(i::text, 5, '0'), 'FR') as department
    from generate_series(0, 99999) i where facteur.french_department(lpad(i::text, 5, '0'), 'FR') is not null`);
  const possible = new Set(rows.map((row) => row.department));
  expect([...frenchDepartments.keys()].filter((code) => !possible.has(code))).toEqual([]);
  // Numbers of territories that do not exist (982, 983, 985), and those that have no name.
  expect([...possible].filter((code) => !frenchDepartments.has(code)).sort()).toEqual([
    '981',
    '982',
    '983',
    '985',
  ]);
});

test.each([
  ['75 001', 'FR', '75'],
  ['20\u00a0200', null, '2B'],
  [' 97400 ', 'RE', '974'],
  ['7500\t1', null, '75'],
  ['75 0011', 'FR', null],
  ['75 001', 'BE', null],
  ['7 500', null, null],
  ['', null, null],
  [null, 'FR', null],
])('the postcode %j in %j gives field 42 as %j', async (postcode, country, department) => {
  const row = await site.db.one(sql`
    insert into ${site.db.t.subscriber} (fld1, fld40, fld41)
    values (${`${Math.random()}@example.org`}, ${postcode}, ${country}) returning fld40, fld42`);
  // What was written stays as it was.
  expect(row).toEqual({ fld40: postcode, fld42: department });
});

test.each([
  ['1', '01'],
  [' 2a ', '2A'],
  ['75', '75'],
  ['974', '974'],
  ['20', undefined],
  ['96', undefined],
  ['', undefined],
  ['075', undefined],
])('%j is %s', (text, code) => expect(departmentOf(text)).toBe(code));
