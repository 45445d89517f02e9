import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { forgetChanges } from '../field-change-store.ts';
import { forgetFieldChanges } from './forget-field-changes.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

/** Adds a change for each age in days, by people who are numbered. */
const add = (db: SiteDb, ages: readonly number[]) =>
  db.run(sql`
    insert into ${db.t.subscriber_change}
    select n, ${t.app.clock.now()}::timestamptz - age * interval '1 day', 'user', 1, '{"40": [null, "1"]}', 1
    from unnest(${ages}::float8[]) with ordinality u (age, n)
    order by age desc`);
const left = (db: SiteDb) =>
  db.values<number>(sql`select c.id_subscriber as person from ${db.t.subscriber_change} c order by c.id`);

it('deletes changes after 400 days, on every site, and may run twice', async () => {
  for (const db of [t.db, t.otherDb]) await add(db, [1, 399.9, 400.1, 900]);
  for (let times = 0; times < 2; times++) {
    await forgetFieldChanges.run(t.app, {}, new AbortController().signal);
    for (const db of [t.db, t.otherDb]) expect(await left(db)).toEqual([2, 1]);
  }
});

it('deletes the oldest ones of too many, some at a time', async () => {
  await t.db.run(sql`truncate ${t.db.t.subscriber_change}`);
  await add(t.db, [1, 2, 3, 4, 5]);
  expect(await forgetChanges(t.db, t.app.clock.now(), 2, 2)).toBe(2);
  expect(await left(t.db)).toEqual([3, 2, 1]);
  expect(await forgetChanges(t.db, t.app.clock.now(), 2, 2)).toBe(1);
  expect(await left(t.db)).toEqual([2, 1]);
});
