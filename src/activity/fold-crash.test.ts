import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import {
  actsOf,
  type ModelHit,
  type ModelReception,
  receptionsOf,
  type Selects,
} from '../testing/activity-model.ts';
import { dumpSums } from '../testing/activity-sums.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { kill, startWork } from '../testing/programs.ts';
import { until } from '../testing/until.ts';
import { actedInPeriod, actedInSents, receivedTimes } from './activity-selection.ts';
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

/** Compares the subscribers that the conditions and the model select, in one snapshot. */
async function compareOnce(db: SiteDb): Promise<void> {
  await db.transaction(async (tx) => {
    const [from, to] = [new Date('2026-10-07T11:00:00Z'), new Date('2026-11-20T10:30:00Z')];
    const times = { min: 2, max: 5 };
    const two = [sents[0]!, sents[1]!];
    const hits = await tx.rows<ModelHit & Record<string, unknown>>(sql`
      select id_sent as "idSent", id_subscriber as "idSubscriber", kind = ${hitKinds.open} as "isPixel",
        class = ${hitClasses.mpp} as "isMpp", id_link::int as "idLink", at from ${tx.t.hit}`);
    const receptions = await tx.rows<ModelReception & Record<string, unknown>>(sql`
      select id_sent as "idSent", id_subscriber as "idSubscriber", true as "isAccepted", at from ${tx.t.receipt}`);
    const model = { hits, receptions, sents: sents.map((idSent) => ({ idSent, isTest: false })) };
    const isWithin = ({ at }: { readonly at: Date }) => at >= from && at < to;
    const isSo = ({ length }: readonly unknown[]) => length >= times.min && length <= times.max;
    const opens = (id: number, filterMpp: boolean) => actsOf({ action: 'Open', filterMpp }, model, id);
    const conditions: [Sql, Selects][] = [
      [
        actedInPeriod(tx.t, { action: 'Open', withoutMpp: true, period: { from, to } }, times),
        (id) => isSo(opens(id, true).filter(isWithin)),
      ],
      [
        actedInSents(tx.t, { action: 'Open', withoutMpp: false, groups: [two] }, times),
        (id) => isSo(opens(id, false).filter(({ idSent }) => two.includes(idSent))),
      ],
      [
        receivedTimes(tx.t, { periods: [{ from, to }] }, { min: 1, max: null }),
        (id) => receptionsOf(model, id).some(isWithin),
      ],
    ];
    for (const [condition, selects] of conditions) {
      const rows = await tx.rows<{ id: number }>(sql`
        select fld0 as id from ${tx.t.subscriber} where ${condition} order by fld0`);
      const everybody = Array.from({ length: people }, (_, i) => i + 1);
      expect(rows.map(({ id }) => id)).toEqual(everybody.filter(selects));
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
    const dying = two.map((child) => kill(child));
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
