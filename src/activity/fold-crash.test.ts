import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { dumpSums } from '../testing/activity-sums.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import * as plain from '../testing/plain-selection.ts';
import { kill, startWork } from '../testing/programs.ts';
import { until } from '../testing/until.ts';
import * as selection from './activity-selection.ts';
import { foldActivity } from './fold-store.ts';
import { hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';
import { rebuildSums } from './reclassify-store.ts';

const people = 200;
const kills = 6;

let t: TestApp;
let idJob: number;
let sents: readonly number[];
beforeAll(async () => {
  t = await testApp({ operations: [] });
  ({ idJob, idsSent: sents } = await makeJob(t.db, { sents: 3 }));
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1)
    select i, 's' || i || '@example.org' from generate_series(1, ${people}::int) i`);
});
afterAll(() => t.close());

const random = (n: number) => Math.floor(Math.random() * n);
const someHit = () =>
  makeHit(sents[random(3)]!, 1 + random(people), random(3) === 0 ? hitKinds.editorial : hitKinds.open, {
    at: new Date(Date.UTC(2026, 9 + random(2), 1 + random(28), random(24))),
    class: random(3) === 0 ? hitClasses.mpp : hitClasses.human,
  });
const someHits = () => Array.from({ length: 1 + random(6) }, someHit);

/** Stores hits until `isOver` is set, in transactions that stay open for different numbers of statements. */
async function write(db: SiteDb, told: { readonly isOver: boolean; stored: number }): Promise<void> {
  while (!told.isOver) {
    const hits = someHits();
    await db.transaction(async (tx) => {
      await makeHits(tx, hits);
      for (let more = random(40); more > 0; more--) await tx.run(sql`select`);
    });
    told.stored += hits.length;
  }
}

/** Compares the subscribers that the fast and the plain conditions select, in one snapshot. */
async function compareOnce(db: SiteDb): Promise<void> {
  await db.transaction(async (tx) => {
    const period = { from: new Date('2026-10-07T11:00:00Z'), to: new Date('2026-11-20T10:30:00Z') };
    const times = { min: 2, max: 5 };
    const conditions = ({ actedInPeriod, actedInSents, receivedTimes }: typeof plain | typeof selection) => [
      actedInPeriod(tx.t, { action: 'Open', withoutMpp: true, period }, times),
      actedInSents(tx.t, { action: 'Open', withoutMpp: false, groups: [[sents[0]!, sents[1]!]] }, times),
      receivedTimes(tx.t, { periods: [period] }, { min: 1, max: null }),
    ];
    const plainOnes = conditions(plain);
    for (const [i, fast] of conditions(selection).entries()) {
      const wrong = await tx.rows(sql`
        select fld0 from ${tx.t.subscriber} where (${fast}) <> (${plainOnes[i]!})`);
      expect(wrong).toEqual([]);
    }
  }, 'repeatable read');
}

/** `onFold` is called for each fold that found something. */
function startFolding(onFold: () => void): ChildProcess {
  const child = startWork(t, { fold: true });
  createInterface({ input: child.stdout! }).on('line', onFold);
  return child;
}

it('counts every hit once, though folds are killed, run two at once, and commits come out of order', async () => {
  const told = { isOver: false, stored: 0 };
  const writers = [1, 2, 3].map(() => write(t.db, told));
  let compared = 0;
  for (let round = 0; round < kills; round++) {
    let folds = 0;
    const two = [1, 2].map(() => startFolding(() => (folds += 1)));
    await makeReceipts(t.db, idJob, sents[random(3)]!, { accepted: [1 + round * 10, 2 + round * 10] });
    // Somewhere in the folds that follow.
    const enough = 1 + random(4);
    await until(() => folds >= enough, `${enough} folds`);
    const dying = two.map(kill);
    await compareOnce(t.db);
    await Promise.all(dying);
    await compareOnce(t.db);
    compared += 2;
  }
  // However fast the kills came: so many that most people have sums of several days.
  await until(() => told.stored >= 5 * people, 'hits of everybody');
  told.isOver = true;
  await Promise.all(writers);
  expect(compared).toBe(2 * kills);
  await foldActivity(t.db);
  await compareOnce(t.db);
  const { all, left } = await t.db.one<{ all: number; left: number }>(sql`
    select (select count(*) from ${t.db.t.hit}) as all, (select count(*) from ${t.db.t.hit_new}) as left`);
  expect([all, left]).toEqual([told.stored, 0]);
  const sums = await dumpSums(t.db);
  expect(sums.length).toBeGreaterThan(people);
  await rebuildSums(t.db);
  await foldActivity(t.db);
  expect(await dumpSums(t.db)).toEqual(sums);
});
