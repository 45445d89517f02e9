import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { dumpSums } from '../testing/activity-sums.ts';
import { makeBounce, makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { bounceClasses } from './bounce.ts';
import { countersOfSents } from './counter-store.ts';
import { foldActivity } from './fold-store.ts';
import { hitKinds } from './hit.ts';
import { classifyHit, type HitClass, hitClasses, hitRulesVersion, type Judgement } from './hit-class.ts';
import { rebuildSums, reclassifyHits } from './reclassify-store.ts';

const { open, editorial } = hitKinds;
const { human, mpp, scanner } = hitClasses;

let site: TestSite;
let db: SiteDb;
let sents: readonly number[];
beforeAll(async () => {
  site = await testSite();
  db = site.db;
  sents = (await makeJob(db, { sents: 2 })).idsSent;
});
afterAll(() => site.close());

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0';

/** New rules know that this agent is a machine's, and that that one is not. */
const judge = (judged: Judgement): HitClass =>
  judged.userAgent === 'Checker' ? scanner : judged.userAgent === 'Proxy' ? human : judged.class;

it('changes nothing as long as the rules are those that judged', async () => {
  const agents = [windows, 'Mozilla/5.0', 'curl/8.1', `${windows} GoogleImageProxy`];
  const hits = agents.flatMap((userAgent) =>
    ['GET', 'HEAD'].map((method) =>
      makeHit(sents[1]!, 9, open, {
        userAgent,
        class: classifyHit(method, userAgent),
        rulesVersion: hitRulesVersion,
      }),
    ),
  );
  await makeHits(db, hits);
  expect(await reclassifyHits(db)).toBe(0);
});

it('gives hits of the past the classes of new rules, and their counters and sums with them', async () => {
  const [first, second] = [sents[0]!, sents[1]!];
  const checker = { userAgent: 'Checker', class: human, rulesVersion: 0 } as const;
  const proxy = { userAgent: 'Proxy', class: mpp, rulesVersion: 0 } as const;
  await makeHits(db, [
    makeHit(first, 1, open, checker),
    makeHit(first, 2, open, proxy),
    makeHit(first, 2, open),
    // The proxy's fetch did not count, so the click implied an open; now the fetch counts.
    makeHit(first, 3, open, proxy),
    makeHit(first, 3, editorial),
    makeHit(second, 1, open),
  ]);
  await foldActivity(db);
  await makeHits(db, [makeHit(first, 4, open, checker)]);
  expect((await countersOfSents(db, [first])).get(first)).toMatchObject({
    nbOpenings: 5,
    nbHumanOpenings: 4,
    nbHumanOpeners: 4,
  });
  const untouched = await countersOfSents(db, [second]);

  expect(await reclassifyHits(db, judge)).toBe(4);
  expect((await countersOfSents(db, [first])).get(first)).toMatchObject({
    nbOpenings: 5,
    nbHumanOpenings: 3,
    nbHumanOpeners: 2,
  });
  expect(await countersOfSents(db, [second])).toEqual(untouched);
  expect(
    await db.rows(sql`select distinct rules_version as v from ${db.t.hit} where user_agent = 'Proxy'`),
  ).toEqual([{ v: hitRulesVersion }]);

  const sums = await dumpSums(db);
  await rebuildSums(db);
  expect(await dumpSums(db)).toEqual(sums);
});

it('changes nothing the second time', async () => {
  const before = await dumpSums(db);
  expect(await reclassifyHits(db, judge)).toBe(0);
  expect(await dumpSums(db)).toEqual(before);
});

it('knows again of bounces whose message was accepted, whatever their rows said', async () => {
  const { idJob, idsSent } = await makeJob(db);
  const id = idsSent[0]!;
  await makeReceipts(db, idJob, id, { accepted: [1, 2], refused: [3], uncertain: [4] });
  for (const idSubscriber of [1, 3, 4, 5]) await makeBounce(db, id, idSubscriber, bounceClasses.soft);
  await foldActivity(db);
  const before = await dumpSums(db);
  const figures = (await countersOfSents(db, [id])).get(id);
  expect(figures).toMatchObject({ nbAddressSent: 5, nbSoftBounces: 4, nbDelivered: 1 });
  await db.run(sql`update ${db.t.bounce} set is_accepted = not is_accepted`);
  expect((await countersOfSents(db, [id])).get(id)).not.toEqual(figures);
  await rebuildSums(db);
  expect(await dumpSums(db)).toEqual(before);
  expect((await countersOfSents(db, [id])).get(id)).toEqual(figures);
});

it('gives hits of the past the device of new rules, and their counters with them', async () => {
  // The tests above gave older hits to rules of their own.
  await reclassifyHits(db);
  const idSent = (await makeJob(db)).idsSent[0]!;
  const userAgent = 'Outlook-iOS/709.2226530.prod.iphone (3.24.1)';
  await makeHits(db, [
    makeHit(idSent, 1, open, { userAgent }),
    makeHit(idSent, 1, editorial, { userAgent: windows }),
    makeHit(idSent, 2, editorial, { userAgent }),
  ]);
  await foldActivity(db);
  const before = await countersOfSents(db, [idSent]);
  expect((await countersOfSents(db, [idSent], 'mobile')).get(idSent)).toMatchObject({
    nbOpeners: 0,
    nbClicks: 0,
  });
  expect(await reclassifyHits(db)).toBe(2);
  expect((await countersOfSents(db, [idSent], 'mobile')).get(idSent)).toMatchObject({
    nbOpeners: 2,
    nbClicks: 1,
  });
  expect((await countersOfSents(db, [idSent], 'desktop')).get(idSent)).toMatchObject({
    nbOpeners: 1,
    nbClicks: 1,
  });
  expect(await countersOfSents(db, [idSent])).toEqual(before);
  const sums = await dumpSums(db);
  await rebuildSums(db);
  expect(await dumpSums(db)).toEqual(sums);
});
