import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { deliveryState, worsenDeliveries, worsenDelivery } from '../subscription.ts';
import { forgetSoftBounces } from './forget-soft-bounces.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

const states = async (db = t.db) =>
  (await db.rows<{ fld44: number }>(sql`select fld44 from ${db.t.subscriber} order by fld0`)).map(
    ({ fld44 }) => fld44,
  );

it('forgets soft bounces after 30 days, on every site, and nothing else', async () => {
  const now = t.app.clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const before = [1, 1, 2, 3, 0];
  const dates = [30.01, 29.99, 99, 99, 99].map((days) => daysAgo(days).toISOString());
  for (const db of [t.db, t.otherDb])
    await db.run(sql`
      insert into ${db.t.subscriber} (fld1, fld44, fld45)
      select 's' || n || '@example.com', state, at
      from unnest(${before}::bigint[], ${dates}::timestamptz[]) with ordinality as u(state, at, n)`);
  for (let times = 0; times < 2; times++) {
    await forgetSoftBounces.run(t.app, {}, new AbortController().signal);
    expect(await states()).toEqual([0, 1, 2, 3, 0]);
    expect(await states(t.otherDb)).toEqual([0, 1, 2, 3, 0]);
  }
  // It is the same address: a report that comes late says something of it.
  const late = { at: now, sentAt: daysAgo(40) };
  for (const id of [1, 2]) await worsenDelivery(t.db, id, deliveryState.hardBounced, late);
  expect(await states()).toEqual([2, 2, 2, 3, 0]);
});

it('forgets a soft bounce 30 days after the last one, not after the first', async () => {
  const db = t.otherDb;
  await db.run(sql`delete from ${db.t.subscriber}`);
  const [alone, again, several, undated] = (
    await db.rows<{ id: number }>(sql`
      insert into ${db.t.subscriber} (fld1) select 'r' || n || '@example.com' from generate_series(1, 4) n
      returning fld0 as id`)
  ).map(({ id }) => id) as [number, number, number, number];
  const start = t.app.clock.now().getTime();
  const on = (day: number) => new Date(start + day * 86_400_000);
  const { softBouncing, hardBounced } = deliveryState;
  const bounce = (id: number, day: number) => worsenDelivery(db, id, softBouncing, { at: on(day) });
  for (const id of [alone, again, several]) await bounce(id, 0);
  await bounce(again, 20);
  await worsenDeliveries(db, [{ idSubscriber: several, at: on(20) }], softBouncing);
  // A report that comes late does not put the date back; one written by hand has none.
  await bounce(again, 5);
  const row = sql`select fld44 as state, fld45 as at from ${db.t.subscriber} where fld0 = ${again}`;
  expect(await db.one(row)).toEqual({ state: softBouncing, at: on(20) });
  await db.run(sql`update ${db.t.subscriber} set fld44 = 1 where fld0 = ${undated}`);
  await bounce(undated, 20);
  t.clock.set(on(31));
  await forgetSoftBounces.run(t.app, {}, new AbortController().signal);
  expect(await states(db)).toEqual([0, 1, 1, 1]);
  // What is worse stays, with its date.
  await worsenDelivery(db, again, hardBounced, { at: on(32) });
  await bounce(again, 40);
  expect(await db.one(row)).toEqual({ state: hardBounced, at: on(32) });
  t.clock.set(on(51));
  await forgetSoftBounces.run(t.app, {}, new AbortController().signal);
  expect(await states(db)).toEqual([0, 2, 0, 0]);
});

it('forgets those of the other sites where one cannot be written to', async () => {
  const long = new Date(t.app.clock.now().getTime() - 99 * 86_400_000).toISOString();
  for (const db of [t.db, t.otherDb]) {
    await db.run(sql`delete from ${db.t.subscriber}`);
    await db.run(sql`
      insert into ${db.t.subscriber} (fld1, fld44, fld45) values ('a@example.com', 1, ${long}::timestamptz)`);
  }
  // Its name comes first, so the others are processed after its failure.
  await t.app.control.pool.query(`alter table ${t.db.site.schema}.subscriber rename to gone`);
  await forgetSoftBounces.run(t.app, {}, new AbortController().signal);
  expect(await states(t.otherDb)).toEqual([0]);
});
