import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldActivity, hasUnfolded } from '../activity/fold-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { ModelSite } from '../testing/activity-model.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { storeModelPlaces } from '../testing/geolocation-model.ts';
import { storeModelFiles } from '../testing/random-files.ts';
import { anySite, buildSite } from '../testing/random-site.ts';
import { anyDefinition, anyNow, anyTargets } from '../testing/random-targets.ts';
import { storeTargets } from '../testing/store-targets.ts';
import { filterModels, idsOf, type ModelTarget, selectionOf } from '../testing/target-model.ts';
import { countMembers, countNarrowing } from './count-targets.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { readTargetSet, Selection } from './selection.ts';
import { getDefinition } from './target-store.ts';

it('every kind of filter has a model and is drawn', () => {
  const kinds = filterKinds.map(({ kind }) => kind).sort();
  expect(Object.keys(filterModels).sort()).toEqual(kinds);
  expect(Object.keys(anyDefinition).sort()).toEqual(kinds);
});

async function idsBySql({ app, db }: TestApp, idTarget: number, at: Date): Promise<number[]> {
  return readTargetSet({ app, db, idTarget, at }, async (tx, set) => {
    const rows = await tx.rows<{ fld0: number }>(sql`select fld0 from (${set}) s order by fld0`);
    return rows.map((row) => row.fld0);
  });
}

/** The counts of targets, together and each as if it were not saved, without its cut. */
async function countBySql({ app, db }: TestApp, ids: readonly number[], at: Date) {
  const options = { app, db, at, reader: 'caller', limitMs: 30_000 } as const;
  return Selection.select(options, async (selection) => {
    const together = await selection.evaluate(ids, (members) => {
      const targets = ids.map((id, i) => ({ members: members.get(id)!, isSafe: i % 2 === 0 }));
      return countMembers(selection.tx, targets);
    });
    const unsaved: number[] = [];
    for (const id of ids) {
      const definition = { ...(await getDefinition(selection.tx, id)), id: 0 };
      const count = (steps: Parameters<typeof countNarrowing>[1]) => countNarrowing(selection.tx, steps);
      unsaved.push((await selection.evaluateUnsaved(definition, count)).afterExclusions);
    }
    return { together, unsaved };
  });
}

/** Stores the targets and compares each with the model; how many of them select some and not all. */
async function compare(
  t: TestApp,
  site: ModelSite,
  targets: readonly ModelTarget[],
  now: Date,
): Promise<number> {
  const ids = await storeTargets(t, targets, now);
  let telling = 0;
  for (const [position, target] of targets.entries()) {
    const expected = selectionOf(targets, position, site, now);
    const found = await idsBySql(t, ids[position]!, now);
    if (target.isRandomMode) {
      expect([found.length, found.filter((id) => !expected.ids.includes(id))]).toEqual([expected.count, []]);
    } else expect(found).toEqual(idsOf(expected));
    if (found.length > 0 && found.length < site.subscribers.length) telling += 1;
  }
  // At one of the drawn moments: the counts of every draw would take as long as the rest.
  if (now.getUTCHours() === 8) await compareCounts(t, { site, targets, now, ids });
  return telling;
}

async function compareCounts(
  t: TestApp,
  of: { site: ModelSite; targets: readonly ModelTarget[]; now: Date; ids: readonly number[] },
): Promise<void> {
  const { site, targets, now, ids } = of;
  const { together, unsaved } = await countBySql(t, ids, now);
  const expected = targets.map((_, position) => selectionOf(targets, position, site, now));
  expect(together.each).toEqual(expected.map(({ count }) => count));
  if (targets.some((target) => target.isRandomMode)) return;
  const distinct = (sets: readonly (readonly number[])[]) => new Set(sets.flat()).size;
  const sets = expected.map(idsOf);
  expect(together.all).toBe(distinct(sets));
  expect(together.safe).toBe(distinct(sets.filter((_, i) => i % 2 === 0)));
  const uncut = targets.map((target, position) => {
    const whole = targets.with(position, { ...target, pctSelect: 100, maxSelect: null });
    return selectionOf(whole, position, site, now).count;
  });
  expect(unsaved).toEqual(uncut);
}

/** Adds all recorded facts to their sums. */
async function fold(db: SiteDb): Promise<void> {
  await foldActivity(db);
  expect(await hasUnfolded(db)).toBe(false);
}

// The same must come out whether facts are in sums, in none of them, or some here and some there.
describe.each([
  { seed: 1, state: 'nothing is folded', halfway: undefined, after: undefined },
  { seed: 2, state: 'half of the facts are folded', halfway: fold, after: undefined },
  { seed: 3, state: 'all is folded, in two steps', halfway: fold, after: fold },
])('targets of a site where $state', ({ seed, halfway, after }) => {
  let t: TestApp;
  let site: ModelSite;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    // Drawn from the seed, so that a failure can be retried on the same facts.
    await storeModelPlaces(t.app.control);
    storeModelFiles(t);
    site = await buildSite(t.db, fc.sample(anySite, { numRuns: 1, seed })[0]!, halfway);
    await after?.(t.db);
  });
  afterAll(() => t.close());

  it('select the same subscribers by SQL as the model, whatever their filters, exclusions and limits', async () => {
    let compared = 0;
    let telling = 0;
    await fc.assert(
      fc.asyncProperty(anyTargets(site), anyNow, async (targets, now) => {
        telling += await compare(t, site, targets, now);
        compared += targets.length;
      }),
      { numRuns: 250 },
    );
    // The comparison would be idle if nearly all targets selected nobody or everybody.
    expect(telling / compared).toBeGreaterThan(0.3);
  }, 180_000);

  it.each(Object.keys(anyDefinition))(
    'of one %s filter select whom the model selects',
    async (kind) => {
      const whole = { pctSelect: 100, maxSelect: null, isRandomMode: false, excluded: [] };
      let compared = 0;
      let telling = 0;
      await fc.assert(
        fc.asyncProperty(anyDefinition[kind]!(site), anyNow, async (definition, now) => {
          const filters = [{ kind, isEnabled: true, definition }];
          telling += await compare(t, site, [{ ...whole, filters }], now);
          compared += 1;
        }),
        { numRuns: 200 },
      );
      // Between 38 (pressure) and 100 (file) of 100 drawn cases tell apart the selected; 600 are drawn.
      expect(telling / compared).toBeGreaterThan(0.2);
    },
    60_000,
  );
});
