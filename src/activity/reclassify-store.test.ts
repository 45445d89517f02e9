import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

const { open, editorial, unsubscription } = hitKinds;
const { human, mpp, imageProxy, scanner, burst } = hitClasses;

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

it('counts the people who clicked before they were counted, of each sending and device', async () => {
  const { idsSent } = await makeJob(db, { sents: 2 });
  const [first, second] = [idsSent[0]!, idsSent[1]!];
  const month = new Date('2026-10-01T10:00:00Z');
  await makeHits(db, [
    ...[human, mpp, imageProxy, scanner, burst].map((one, index) =>
      makeHit(first, index + 1, editorial, { class: one }),
    ),
    makeHit(first, 6, open),
    makeHit(first, 7, unsubscription, { at: month }),
    makeHit(first, 7, editorial, { isMobile: true, isViral: true }),
    makeHit(second, 7, open),
  ]);
  await foldActivity(db);
  await makeHits(db, [makeHit(first, 8, editorial)]);
  const [sums, counted] = [await dumpSums(db), await countersOfSents(db, idsSent)];
  expect([...counted.values()].map(({ nbHumanClickers }) => nbHumanClickers)).toEqual([4, 0]);
  expect(sums).toContainEqual(
    expect.objectContaining({ id_sent: first, is_mobile: true, human_clickers: 1 }),
  );

  const path = fileURLToPath(new URL('../../migrations/site/0114-human-clickers.sql', import.meta.url));
  const migrate = () =>
    db.transaction(async (tx) => {
      for (const table of [tx.t.sent_counter, tx.t.device_counter])
        await tx.run(sql`alter table ${table} drop human_clickers`);
      await tx.run(sql`select set_config('search_path', ${tx.site.schema}, true)`);
      await tx.withClient((client) => client.query(readFileSync(path, 'utf8')));
    });
  await migrate();
  expect(await dumpSums(db)).toEqual(sums);
  expect(await countersOfSents(db, idsSent)).toEqual(counted);

  // Hits of an old month were dropped: all who clicked count as people.
  await db.run(sql`delete from ${db.t.hit_folded} where id_subscriber in (2, 7)`);
  await migrate();
  const rows = await db.rows(sql`
    select id_sent, clickers::int, human_clickers::int from ${db.t.sent_counter}
    where id_sent = any(${idsSent}::int[]) order by id_sent`);
  expect(rows).toEqual([
    { id_sent: first, clickers: 6, human_clickers: 6 },
    { id_sent: second, clickers: 0, human_clickers: 0 },
  ]);
});
