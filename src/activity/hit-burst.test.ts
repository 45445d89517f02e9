import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { dumpSums } from '../testing/activity-sums.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { countersOfSents } from './counter-store.ts';
import type { Counters } from './counters.ts';
import { foldActivity } from './fold-store.ts';
import { type Hit, hitKinds } from './hit.ts';
import { classifyHit, type HitClass, hitClasses, machineClasses } from './hit-class.ts';
import { rebuildSums, reclassifyHits } from './reclassify-store.ts';

const { open, editorial, mirror, unsubscription } = hitKinds;
const { human, imageProxy, mpp, scanner, burst } = hitClasses;
const start = Date.parse('2026-11-19T22:59:57Z');

let site: TestSite;
let db: SiteDb;
beforeAll(async () => {
  site = await testSite();
  db = site.db;
});
afterAll(() => site.close());

/** A click `after` seconds after the start; without a link it is on a page. */
const click = (idSent: number, after: number, idLink: number | null, of: Partial<Hit> = {}): Hit =>
  makeHit(idSent, 1, of.kind ?? editorial, { ...of, at: new Date(start + after * 1_000), idLink });

async function storedClasses(idSent: number): Promise<number[]> {
  const rows = await db.rows<{ class: number }>(sql`
    select class from ${db.t.hit_folded} where id_sent = ${idSent} order by at, id_link, kind, class`);
  return rows.map((row) => row.class);
}

async function countersOf(idSent: number): Promise<Counters> {
  return (await countersOfSents(db, [idSent])).get(idSent)!;
}

const figures = ({ nbHumanOpenings, nbHumanOpeners, nbOpenings, nbClicks }: Counters) => ({
  nbHumanOpenings,
  nbHumanOpeners,
  nbOpenings,
  nbClicks,
});

async function newSent(): Promise<number> {
  return (await makeJob(db)).idsSent[0]!;
}

describe('clicks on several links at once', () => {
  it.each<[string, [number, number | null, Partial<Hit>?][], HitClass[]]>([
    [
      'three links in three seconds',
      [
        [0, 1],
        [1, 2],
        [3, 3],
      ],
      [burst, burst, burst],
    ],
    [
      'three links in more',
      [
        [0, 1],
        [1, 2],
        [3.001, 3],
      ],
      [human, human, human],
    ],
    [
      'one link three times',
      [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
      [human, human, human],
    ],
    [
      'two links, one twice',
      [
        [0, 1],
        [0, 2],
        [0, 2],
      ],
      [human, human, human],
    ],
    [
      'all clicks of the stretch',
      [
        [0, 1],
        [1, 2],
        [1, 2],
        [2, 3],
        [6, 3],
      ],
      [burst, burst, burst, burst, human],
    ],
    [
      'a link and the two pages',
      [
        [0, 1],
        [1, null, { kind: mirror }],
        [2, null, { kind: unsubscription }],
      ],
      [burst, burst, burst],
    ],
    [
      'what is a machine by itself stays so',
      [
        [0, 1, { class: scanner }],
        [1, 2],
        [1, 3, { class: imageProxy }],
      ],
      [scanner, burst, burst],
    ],
    [
      'clicks through a forwarded message',
      [
        [0, 1, { isViral: true }],
        [1, 2],
        [1, 3],
      ],
      [human, human, human],
    ],
  ])('%s', async (_, clicks, classes) => {
    const id = await newSent();
    await makeHits(
      db,
      clicks.map(([after, idLink, of]) => click(id, after, idLink, of)),
    );
    await foldActivity(db);
    expect(await storedClasses(id)).toEqual(classes);
  });

  it('leave other readers and other sendings alone', async () => {
    const [id, other] = [await newSent(), await newSent()];
    await makeHits(db, [
      click(id, 0, 1),
      click(id, 0, 2),
      { ...click(id, 0, 3), idSubscriber: 2 },
      click(other, 0, 3),
      makeHit(id, 1, open, { at: new Date(start) }),
    ]);
    await foldActivity(db);
    expect([await storedClasses(id), await storedClasses(other)]).toEqual([
      [human, human, human, human],
      [human],
    ]);
  });

  it('reclassify clicks that were already aggregated, and remove the human open that they implied', async () => {
    const id = await newSent();
    await makeHits(db, [click(id, 0, 1), click(id, 1, 2)]);
    await foldActivity(db);
    expect(figures(await countersOf(id))).toMatchObject({ nbHumanOpenings: 1, nbHumanOpeners: 1 });
    await makeHits(db, [click(id, 2, 3)]);
    const expected = { nbHumanOpenings: 0, nbHumanOpeners: 0, nbOpenings: 1, nbClicks: 3 };
    expect(figures(await countersOf(id))).toEqual(expected);
    await foldActivity(db);
    expect(figures(await countersOf(id))).toEqual(expected);
    expect(await storedClasses(id)).toEqual([burst, burst, burst]);
  });
});

const anyHit = fc.record({
  idSubscriber: fc.constantFrom(1, 1, 2),
  kind: fc.constantFrom(open, editorial, editorial, editorial, unsubscription),
  class: fc.constantFrom(human, human, human, imageProxy, mpp, scanner),
  isViral: fc.constantFrom(false, false, false, false, true),
  idLink: fc.integer({ min: 1, max: 4 }),
  after: fc.nat(16).map((halves) => halves / 2),
  isFolded: fc.boolean(),
});

/** A fetch of the pixel `after` seconds after the start. */
const fetched = (idSent: number, after: number, of: Partial<Hit> = {}): Hit =>
  makeHit(idSent, 1, open, { ...of, at: new Date(start + after * 1_000) });

describe('opens', () => {
  it.each<[string, (id: number) => Hit[], HitClass[]]>([
    [
      'within a burst and three seconds around it are the machine’s, others are not',
      (id) => [
        fetched(id, 6.9),
        fetched(id, 7),
        ...[10, 11, 12].map((after, link) => click(id, after, link)),
        fetched(id, 11.5, { class: imageProxy }),
        fetched(id, 15),
        fetched(id, 15.1),
      ],
      [human, burst, burst, burst, burst, burst, burst, human],
    ],
    [
      'beside two clicks are a person’s',
      (id) => [fetched(id, 0), click(id, 1, 1), click(id, 2, 2)],
      [human, human, human],
    ],
    [
      'beside a HEAD of the pixel are the machine’s',
      (id) => [
        fetched(id, 0, { class: classifyHit('HEAD', 'Mozilla/5.0 (Windows NT 10.0)') }),
        fetched(id, 3),
        fetched(id, 3.1),
      ],
      [scanner, burst, human],
    ],
    [
      'of a forwarded message and those that Apple fetches stay what they are',
      (id) => [
        ...[0, 1, 2].map((after, link) => click(id, after, link)),
        fetched(id, 2.5, { isViral: true }),
        fetched(id, 2.6, { class: mpp }),
      ],
      [burst, burst, burst, human, mpp],
    ],
  ])('%s', async (_, made, classes) => {
    const id = await newSent();
    const hits = made(id);
    // The last ones first, each aggregated before the next: the order changes nothing.
    for (const hit of [...hits].reverse()) {
      await makeHits(db, [hit]);
      await foldActivity(db);
    }
    expect(await storedClasses(id)).toEqual(classes);
    const people = hits.filter((hit, i) => hit.kind === open && !machineClasses.includes(classes[i]!));
    const clicks = hits.filter((hit, i) => hit.kind !== open && !machineClasses.includes(classes[i]!));
    const nbHumanOpenings = people.length || Math.min(clicks.length, 1);
    expect(figures(await countersOf(id))).toMatchObject({
      nbHumanOpenings,
      nbHumanOpeners: Math.min(nbHumanOpenings, 1),
    });
  });
});

describe('over any hits', () => {
  it('sums, classes and what is not folded agree with a count by hand, in any order', async () => {
    const rule = fc.asyncProperty(
      fc.array(anyHit, { minLength: 3, maxLength: 25, size: 'max' }),
      async (given) => {
        const id = await newSent();
        const hits = given.map(({ after, isFolded: _, ...of }) =>
          makeHit(id, of.idSubscriber, of.kind, {
            ...of,
            at: new Date(start + after * 1_000),
            idLink: of.kind === open ? null : of.idLink,
          }),
        );
        for (const [i, hit] of hits.entries()) {
          await makeHits(db, [hit]);
          if (given[i]!.isFolded) await foldActivity(db);
        }
        const expected = byHand(hits);
        expect(figures(await countersOf(id))).toEqual(expected.figures);
        await foldActivity(db);
        expect(figures(await countersOf(id))).toEqual(expected.figures);
        expect((await storedClasses(id)).sort()).toEqual(expected.classes.sort());
      },
    );
    await fc.assert(rule, { numRuns: 25 });
    const sums = await dumpSums(db);
    await rebuildSums(db);
    expect(await dumpSums(db)).toEqual(sums);
    expect(await reclassifyHits(db, ({ class: of }) => of)).toBe(0);
    expect(await dumpSums(db)).toEqual(sums);
  });

  it('judging again finds the bursts of hits that were folded without the rule', async () => {
    const sums = await dumpSums(db);
    const turned = await db.run(sql`update ${db.t.hit_folded} set class = ${human} where class = ${burst}`);
    await rebuildSums(db);
    expect(await dumpSums(db)).not.toEqual(sums);
    expect(await reclassifyHits(db, ({ class: of }) => of)).toBe(turned);
    expect(await dumpSums(db)).toEqual(sums);
    expect(turned).toBeGreaterThan(10);
  });

  it('judging again by the agent leaves the bursts that there are', async () => {
    const sums = await dumpSums(db);
    expect(await reclassifyHits(db, ({ class: of }) => (of === burst ? human : of))).toBe(0);
    expect(await dumpSums(db)).toEqual(sums);
  });
});

/** The definitions once more, written the long way. */
function byHand(hits: readonly Hit[]): { classes: number[]; figures: ReturnType<typeof figures> } {
  const judged = hits.map((hit) => ({ ...hit, class: isInBurst(hit, hits) ? burst : hit.class }));
  const openings = (of: readonly Hit[]) =>
    [1, 2].map((reader) => {
      const his = of.filter((hit) => hit.idSubscriber === reader);
      return his.filter((hit) => hit.kind === open).length || Math.min(his.length, 1);
    });
  const total = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const byPeople = openings(judged.filter((hit) => !machineClasses.includes(hit.class)));
  return {
    classes: judged.map((hit) => hit.class),
    figures: {
      nbHumanOpenings: total(byPeople),
      nbHumanOpeners: byPeople.filter(Boolean).length,
      nbOpenings: total(openings(hits)),
      nbClicks: hits.filter((hit) => hit.kind !== open).length,
    },
  };
}

function isInBurst(hit: Hit, hits: readonly Hit[]): boolean {
  if (hit.isViral || machineClasses.includes(hit.class)) return false;
  const his = hits.filter((one) => !one.isViral && one.idSubscriber === hit.idSubscriber);
  const bursts = his.filter((one) => isBurstOfClicks(one, his));
  if (hit.kind !== open) return bursts.includes(hit);
  const scanners = his.filter((one) => one.kind === open && one.class === scanner);
  return [...bursts, ...scanners].some(({ at }) => Math.abs(at.getTime() - hit.at.getTime()) <= 3_000);
}

function isBurstOfClicks(hit: Hit, his: readonly Hit[]): boolean {
  const clicks = his.filter((one) => one.kind !== open);
  return clicks.some(({ at }) => {
    const from = at.getTime();
    const stretch = clicks.filter((one) => one.at.getTime() >= from && one.at.getTime() <= from + 3_000);
    return (
      hit.kind !== open &&
      stretch.some((one) => one.at.getTime() === hit.at.getTime()) &&
      linksOf(stretch) >= 3
    );
  });
}

const linksOf = (hits: readonly Hit[]) => new Set(hits.map((hit) => hit.idLink)).size;
