import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { makeTarget } from '../testing/campaign-makers.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { listTargetRows } from './target-list-store.ts';
import { findTarget, readWithExcluded, unsafeTargets } from './target-store.ts';

let site: TestSite;
let db: SiteDb;
let idTarget: number;
beforeAll(async () => {
  site = await testSite();
  db = site.db;
  idTarget = await makeTarget(db, { isSafe: false });
});
afterAll(() => site.close());

const page = (on: SiteDb) =>
  listTargetRows(on, {
    location: { name: 'All' },
    idUser: 1,
    sortBy: 'IdTarget',
    isDescending: false,
    start: 0,
    limit: null,
  });

const anyEntry = fc.record({
  idField: fc.constantFrom(0, 7, 8, 70, 101),
  operator: fc.constantFrom('Equal', 'NotEqual', 'In', 'HasValue', 'LessOrEqual'),
  value: fc.constantFrom('0', '1', '00', ' 0', '0;1', '', null),
});
const safe = { idField: 7, operator: 'Equal', value: '0' } as const;
const entry = fc.oneof({ weight: 3, arbitrary: anyEntry }, fc.constant(safe));
const filter = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('field') },
    fc.constantFrom(...filterKinds.map((k) => k.kind)),
  ),
  isEnabled: fc.boolean(),
  definition: fc.oneof(
    { weight: 6, arbitrary: fc.record({ filters: fc.array(entry, { maxLength: 5 }) }) },
    fc.record({ filters: fc.constant(null) }),
    entry,
    fc.record({ filters: fc.array(fc.array(entry, { maxLength: 2 }), { maxLength: 2 }) }),
    fc.constant({}),
  ),
});
type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

/** The words of the rule: an enabled field filter holds field 7 Equal 0. */
function isSafeByModel({ kind, isEnabled, definition }: Filter): boolean {
  const entries = ('filters' in definition && definition.filters) || [];
  return (
    kind === 'field' &&
    isEnabled &&
    entries.some(
      (one) => 'idField' in one && one.idField === 7 && one.operator === 'Equal' && one.value === '0',
    )
  );
}

test('any filters make a target safe in every answer when the rule says so', async () => {
  const unlike = fc.uniqueArray(filter, { selector: ({ kind }) => kind, maxLength: 4 });
  const seen = { safe: 0, unsafe: 0 };
  await fc.assert(
    fc.asyncProperty(unlike, async (filters) => {
      await db.run(sql`delete from ${db.t.target_filter}`);
      for (const { kind, isEnabled, definition } of filters)
        await db.run(sql`
          insert into ${db.t.target_filter} (id_target, kind, is_enabled, definition)
          values (${idTarget}, ${kind}, ${isEnabled}, ${JSON.stringify(definition)})`);
      const expected = filters.some(isSafeByModel);
      const listed = (await page(db)).items.map((one) => one.isSafe);
      const found = await findTarget(db, idTarget);
      const unsafe = await unsafeTargets(db, [idTarget, 99_999]);
      expect([listed, found?.isSafe, unsafe]).toEqual([
        [expected],
        expected,
        expected ? [99_999] : [idTarget, 99_999],
      ]);
      expect(found?.kinds.toSorted()).toEqual(filters.map(({ kind }) => kind).toSorted());
      seen[expected ? 'safe' : 'unsafe']++;
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.safe, seen.unsafe)).toBeGreaterThan(20);
});

test('a filter that is switched off or replaced is safe no more', async () => {
  await db.run(sql`delete from ${db.t.target_filter}`);
  await db.run(sql`
    insert into ${db.t.target_filter} (id_target, kind, is_enabled, definition)
    values (${idTarget}, 'field', true, ${JSON.stringify({ filters: [safe] })})`);
  expect(await unsafeTargets(db, [idTarget])).toEqual([]);
  await db.run(sql`update ${db.t.target_filter} set is_enabled = false`);
  expect(await unsafeTargets(db, [idTarget])).toEqual([idTarget]);
  await db.run(sql`update ${db.t.target_filter} set is_enabled = true, definition = '{"filters": []}'`);
  expect(await unsafeTargets(db, [idTarget])).toEqual([idTarget]);
});

test('showing a target or a list reads no definition; evaluation does', async () => {
  await db.run(sql`delete from ${db.t.target_filter}`);
  // Too long for its row, and not to be packed: it is in a table of its own.
  await db.run(sql`
    insert into ${db.t.target_filter} (id_target, kind, is_enabled, definition)
    select ${idTarget}, 'field', true, jsonb_build_object('filters', jsonb_build_array(jsonb_build_object(
      'idField', 7, 'operator', 'In', 'value', string_agg(md5(n::text), ';')))) from generate_series(1, 2000) n`);
  const readsBy = (work: (tx: SiteDb) => Promise<unknown>): Promise<number> =>
    db.transaction(async (tx) => {
      const count = async () =>
        (
          await tx.one<{ n: number }>(sql`
            select coalesce(sum(s.idx_scan), 0)::int as n from pg_stat_xact_all_tables s
            join pg_class c on c.reltoastrelid = s.relid
            where c.oid = ${`${tx.site.schema}.target_filter`}::regclass`)
        ).n;
      const before = await count();
      await work(tx);
      return (await count()) - before;
    });
  expect(await readsBy((tx) => readWithExcluded(tx, [idTarget]))).toBeGreaterThan(0);
  expect(await readsBy(page)).toBe(0);
  expect(await readsBy((tx) => unsafeTargets(tx, [idTarget]))).toBe(0);
  expect(await readsBy((tx) => findTarget(tx, idTarget))).toBe(0);
});
