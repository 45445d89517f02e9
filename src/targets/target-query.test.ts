import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import { sql } from '../platform/db/sql.ts';
import { filterSite } from '../testing/filter-site.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { filterKindOf } from './filters/filter-kinds.ts';
import { parametersOf, type TargetDefinition } from './target.ts';
import { targetQuery } from './target-query.ts';

const people = 40;
const now = new Date('2026-11-20T10:00:00Z');

let site: TestSite;
let fields: Map<number, Field>;
beforeAll(async () => {
  site = await testSite();
  fields = new Map((await listFields(site.db)).map((field) => [field.id, field]));
  // The client id is the value that filters compare; every fifth is empty.
  await site.db.run(sql`
    insert into ${site.db.t.subscriber} (fld0, fld1, fld43)
    select i, 's' || i || '@example.org', nullif(i, i / 5 * 5) from generate_series(1, ${people}::int) i`);
});
afterAll(() => site.close());

interface Plan {
  readonly atMost: number | null;
  readonly isEnabled: boolean;
  readonly pctSelect: number;
  readonly maxSelect: number | null;
  readonly excludedTargets: number[];
}

/** Targets 1 … n, each of which may exclude those before it: every graph without cycles. */
const anyPlans: fc.Arbitrary<Plan[]> = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.tuple(
    ...Array.from({ length: n }, (_, i) =>
      fc.record({
        atMost: fc.option(fc.integer({ min: 0, max: people })),
        isEnabled: fc.boolean(),
        pctSelect: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 100 })),
        maxSelect: fc.option(fc.integer({ min: 1, max: people }), { freq: 3 }),
        excludedTargets: fc.subarray(Array.from({ length: i }, (_, j) => j + 1)),
      }),
    ),
  ),
);

function storedTarget(plan: Plan, id: number): TargetDefinition {
  const { pctSelect, maxSelect, excludedTargets, isEnabled, atMost } = plan;
  const filters = [{ idField: 43, operator: 'LessOrEqual', value: String(atMost) }];
  return {
    id,
    // A share of 0 is no longer taken, but it may be there from before.
    parameters: { ...parametersOf({ name: 'a', maxSelect, excludedTargets }), pctSelect },
    filters: atMost === null ? [] : [{ idTarget: id, kind: 'field', isEnabled, definition: { filters } }],
  };
}

/** The words of the rule in plain TypeScript. */
function idsByModel(plans: readonly Plan[], id: number): number[] {
  const { atMost, isEnabled, pctSelect, maxSelect, excludedTargets } = plans[id - 1]!;
  const out = new Set(excludedTargets.flatMap((one) => idsByModel(plans, one)));
  const selected = Array.from({ length: people }, (_, i) => i + 1).filter((one) => {
    const isFiltered = atMost !== null && isEnabled;
    return !out.has(one) && (!isFiltered || (one % 5 !== 0 && one <= atMost));
  });
  return selected.slice(0, maxSelect ?? Math.ceil((selected.length * pctSelect) / 100));
}

test('targets that exclude each other select the same subscribers by SQL as by the rule', async () => {
  await fc.assert(
    fc.asyncProperty(anyPlans, async (plans) => {
      const targets = new Map(plans.map((plan, i) => [i + 1, storedTarget(plan, i + 1)]));
      const filters = [...targets.values()].flatMap((target) => target.filters);
      const conditions = new Map(
        filters.map((one) => [
          one,
          filterKindOf(one.kind).compile(one.definition, filterSite({ fields, now })),
        ]),
      );
      const source = { subscriber: site.db.t.subscriber, targets, conditions };
      for (const id of targets.keys()) {
        const rows = await site.db.rows<{ fld0: number }>(sql`
          select fld0 from (${targetQuery(source, id)}) as selected order by fld0`);
        expect(rows.map((row) => row.fld0)).toEqual(idsByModel(plans, id));
      }
    }),
    { numRuns: 200 },
  );
});
