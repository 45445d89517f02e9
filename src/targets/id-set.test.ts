import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { IdSet } from './id-set.ts';

const asked = [-70_000, -1, 1, 2, 7, 8, 8_191, 8_192, 8_193, 65_536, 1_000_000, 2_147_483_647];
let site: TestSite;
beforeAll(async () => {
  site = await testSite();
  await site.db.run(sql`
    insert into ${site.db.t.subscriber} (fld0, fld1)
    select id, 's' || id || '@example.org' from unnest(${asked}::int[] || array(select generate_series(10, 3000))) id`);
});
afterAll(() => site.close());

function setOf(ids: readonly number[]): IdSet {
  const set = new IdSet();
  const written = Buffer.alloc(ids.length * 4);
  for (const [i, id] of ids.entries()) written.writeInt32BE(id, i * 4);
  // In two pieces, as they may come.
  const half = Math.floor(ids.length / 2) * 4;
  set.add(written.subarray(0, half));
  set.add(written.subarray(half));
  return set;
}

const rowsOf = async (set: IdSet) =>
  (
    await site.db.rows<{ fld0: number }>(sql`
      select fld0 from ${site.db.t.subscriber} where ${set.condition()} order by fld0`)
  ).map((row) => row.fld0);

it('selects exactly its ids, whether they are few, many, near or far apart', async () => {
  const everybody = await rowsOf(setOf([...asked, ...Array.from({ length: 2991 }, (_, i) => i + 10)]));
  expect(everybody).toHaveLength(asked.length + 2991);
  const anyIds = fc.oneof(
    fc.subarray(asked),
    fc
      .integer({ min: 0, max: 2990 })
      .chain((n) => fc.subarray(everybody.slice(4), { minLength: n, maxLength: n })),
    fc.subarray(everybody),
    // Ids that no subscriber has must not matter.
    fc.uniqueArray(fc.integer({ min: 3_001, max: 60_000 }), { maxLength: 3_000 }),
  );
  await fc.assert(
    fc.asyncProperty(anyIds, async (ids) => {
      const set = setOf(ids);
      expect(set.size).toBe(ids.length);
      const expected = new Set(ids);
      expect(await rowsOf(set)).toEqual(everybody.filter((id) => expected.has(id)));
    }),
    { numRuns: 200 },
  );
});

it('of a million neighbours hands 125 kB to a statement, and of a thousand far apart a list', () => {
  const neighbours = setOf(Array.from({ length: 1_000_000 }, (_, i) => i + 1));
  expect(neighbours.condition().values.find(Buffer.isBuffer)).toHaveLength(123 * 1024);
  const scattered = setOf(Array.from({ length: 1_000 }, (_, i) => i * 10_000));
  expect(scattered.condition().text).toBe('fld0 = any($1::int4[])');
  expect(new IdSet().condition().text).toBe('false');
});
