import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { deliveryState, worsenDelivery } from '../subscription.ts';
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
  const dates = [31, 29, 99, 99, 99].map((days) => daysAgo(days).toISOString());
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
  expect(await worsenDelivery(t.db, 1, deliveryState.hardBounced, late)).toBe(true);
  expect(await worsenDelivery(t.db, 2, deliveryState.hardBounced, late)).toBe(true);
});
