import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestSite, testSite } from '../../testing/site.ts';
import {
  booleanArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  timestamptzArray,
} from './binary-array.ts';
import { type Sql, sql } from './sql.ts';

let site: TestSite;
beforeAll(async () => {
  site = await testSite();
});
afterAll(() => site.close());

const times = [new Date('1969-12-31T23:59:59.999Z'), new Date('2026-11-20T10:00:00.123Z')];

it.each<[string, Sql, string]>([
  ['booleans', sql`${booleanArray([true, false])}::boolean[]`, '{t,f}'],
  ['smallints', sql`${int2Array([-32768, 0, 32767])}::smallint[]`, '{-32768,0,32767}'],
  ['ints', sql`${int4Array([-2147483648, -1, 2147483647])}::int[]`, '{-2147483648,-1,2147483647}'],
  [
    'bigints and nulls',
    sql`${int8Array([-1, null, 2 ** 32, 2 ** 53 - 1, 1 - 2 ** 53])}::bigint[]`,
    '{-1,NULL,4294967296,9007199254740991,-9007199254740991}',
  ],
  ['an empty array', sql`${int8Array([])}::bigint[]`, '{}'],
  [
    'texts that the text form would have to escape',
    sql`${textArray(['a "b" {c} \\', '', 'null', null, 'ü 😀'])}::text[]`,
    '{"a \\"b\\" {c} \\\\","","null",NULL,"ü 😀"}',
  ],
  [
    'times before and after 2000',
    sql`${timestamptzArray(times)}::timestamptz[]`,
    '{"1969-12-31 23:59:59.999+00","2026-11-20 10:00:00.123+00"}',
  ],
])('PostgreSQL reads %s', async (_of, array, expected) => {
  const { text } = await site.db.one<{ text: string }>(sql`select (${array})::text as text`);
  expect(text).toBe(expected);
});

it('refuses what does not fit', () => {
  expect(() => int2Array([32768])).toThrow(RangeError);
  expect(() => int4Array([2 ** 31])).toThrow(RangeError);
  expect(() => int8Array([2 ** 64])).toThrow(RangeError);
});
