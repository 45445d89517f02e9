import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluateAudience, evaluateTestAudience } from './campaigns/audience.ts';
import { listSegments } from './campaigns/segment-store.ts';
import { sql } from './platform/db/sql.ts';
import { Selection } from './targets/selection.ts';
import type { ModelSite } from './testing/activity-model.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeCampaign, makeSegment } from './testing/campaign-makers.ts';
import { ExportTester } from './testing/export-tester.ts';
import { storeModelPlaces } from './testing/geolocation-model.ts';
import { storeModelFiles } from './testing/random-files.ts';
import { anySite, buildSite } from './testing/random-site.ts';
import { anyTargets } from './testing/random-targets.ts';
import { storeTargets } from './testing/store-targets.ts';
import { idsOf, type ModelTarget, selectionOf } from './testing/target-model.ts';

let t: TestApp;
let site: ModelSite;
let exporter: ExportTester;
beforeAll(async () => {
  t = await testApp();
  await storeModelPlaces(t.app.control);
  storeModelFiles(t);
  site = await buildSite(t.db, fc.sample(anySite, { numRuns: 1, seed: 7 })[0]!);
  exporter = new ExportTester(t);
});
afterAll(() => t.close());

/** The subscribers of a target, by every way to get them. */
async function idsByEveryWay(idTarget: number): Promise<Record<string, readonly number[]>> {
  const { app, db, clock } = t;
  const ids: number[] = (await t.call('GET', `/targets/${idTarget}/subscriber-ids`)).data;
  const pages = await Promise.all(
    [0, 40].map((start) =>
      t.call('GET', `/targets/${idTarget}/subscribers`, {
        query: { property: 'fld0', direction: 'ASC', start, page: 1, limit: 40 },
      }),
    ),
  );
  const file = await exporter.text({ idTarget, idsFields: ['0'] });
  const options = { app, db, at: clock.now(), reader: 'task', limitMs: 60_000 } as const;
  const tests = await Selection.select(options, (selection) =>
    evaluateTestAudience(selection, idTarget, [1], (audience) =>
      selection.tx.rows<{ fld0: number }>(sql`select fld0 from (${audience}) a order by fld0`),
    ),
  );
  return {
    ids,
    pages: pages.flatMap((page) => (page.data as { id: number }[]).map((one) => one.id)),
    file: file.trim().split('\r\n').slice(1).map(Number),
    'test mailing': tests.map((one) => one.fld0),
  };
}

/** The numbers of a target's subscribers, by every way to ask. */
async function countsByEveryWay(idTarget: number): Promise<Record<string, number>> {
  const idCampaign = await makeCampaign(t.db);
  await makeSegment(t.db, idCampaign, { idTarget });
  const [one] = (await t.call('GET', `/campaigns/${idCampaign}/segments/count`)).data as {
    targetCount: number;
    segmentCount: number;
  }[];
  const options = { app: t.app, db: t.db, at: t.clock.now(), reader: 'task', limitMs: 60_000 } as const;
  const frozen = await Selection.select(options, async (selection) => {
    const segments = await listSegments(selection.tx, idCampaign);
    return evaluateAudience(selection, segments, (audience) =>
      selection.tx.one<{ n: number }>(sql`select count(*) as n from (${audience}) a`),
    );
  });
  return {
    count: (await t.call('GET', `/targets/${idTarget}/count`)).data,
    'segment target': one!.targetCount,
    segment: one!.segmentCount,
    audience: frozen.n,
  };
}

const mayReceive = () =>
  new Set(
    site.subscribers.filter(({ row }) => row.get(7) === 0 && Number(row.get(44)) < 2).map(({ id }) => id),
  );

test('count, ids, pages, segments, audience, test mailings and exports are of one set, that of the model', async () => {
  const certain = anyTargets(site).map((all) => all.map((target) => ({ ...target, isRandomMode: false })));
  await fc.assert(
    fc.asyncProperty(certain, async (targets) => {
      const ids = await storeTargets(t, targets, t.clock.now());
      const position = targets.length - 1;
      const expected = idsOf(selectionOf(targets, position, site, t.clock.now()));
      const reachable = expected.filter((id) => mayReceive().has(id));
      expect(await idsByEveryWay(ids[position]!)).toEqual({
        ids: expected,
        pages: expected,
        file: expected,
        'test mailing': reachable,
      });
      expect(await countsByEveryWay(ids[position]!)).toEqual({
        count: expected.length,
        'segment target': expected.length,
        segment: reachable.length,
        audience: reachable.length,
      });
    }),
    { numRuns: 40 },
  );
});

/** All subscribers except those of previous targets, cut: most drawn targets select too few to cut. */
const cutTarget = (cut: Partial<ModelTarget>): ModelTarget => ({
  filters: [],
  pctSelect: 100,
  maxSelect: null,
  isRandomMode: true,
  excluded: [],
  ...cut,
});
const certainlyCut: [ModelTarget[]][] = [
  [[cutTarget({ pctSelect: 50 })]],
  [[cutTarget({ maxSelect: 7 })]],
  [[cutTarget({ maxSelect: 7, isRandomMode: false }), cutTarget({ pctSelect: 33, excluded: [0] })]],
];

test('a target that draws at random has one size by every way, and takes each time of those that it may', async () => {
  const drawn = anyTargets(site).map((all) =>
    all.map((target, i) => ({ ...target, isRandomMode: i === all.length - 1 })),
  );
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(drawn, async (targets) => {
      const ids = await storeTargets(t, targets, t.clock.now());
      const position = targets.length - 1;
      const { ids: eligible, count } = selectionOf(targets, position, site, t.clock.now());
      const { 'test mailing': tests, pages, ...whole } = await idsByEveryWay(ids[position]!);
      for (const found of Object.values(whole)) {
        expect(new Set(found).size).toBe(count);
        expect(eligible).toEqual(expect.arrayContaining([...found]));
      }
      // Each page draws again, as the reference says of random targets; a lot is frozen by a sending.
      expect(pages).toHaveLength(count);
      const reachable = eligible.filter((id) => mayReceive().has(id));
      expect(reachable).toEqual(expect.arrayContaining([...tests!]));
      const counts = await countsByEveryWay(ids[position]!);
      expect([counts.count, counts['segment target']]).toEqual([count, count]);
      if (count < eligible.length && count > 0) cut += 1;
    }),
    { numRuns: 33, examples: certainlyCut },
  );
  expect(cut).toBeGreaterThan(2);
});
