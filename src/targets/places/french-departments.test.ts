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
  // What has the digits of a territory but is none (982, 983, 985) and what overseas has not named.
  expect([...possible].filter((code) => !frenchDepartments.has(code)).sort()).toEqual([
    '981',
    '982',
    '983',
    '985',
  ]);
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
