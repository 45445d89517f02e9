import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from './platform/db/sql.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addBurning, burningExpression, burningOf, targetByExpression } from './testing/burning-filter.ts';
import { until } from './testing/until.ts';

/** Requests of one site delay no other site, however slow and however many they are. */
let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

test('a hundred slow counts of a site leave connections to the others, and to its own short requests', async () => {
  const { data } = await t.call('POST', '/targets', { body: { name: 'All' } });
  const { id } = data as { id: number };
  const counts: Promise<unknown>[] = [];
  const statuses: number[] = [];
  await t.db.transaction(async (tx) => {
    // As long as this lasts, every look at the subscribers of the site waits.
    await tx.run(sql`lock table ${tx.t.subscriber} in access exclusive mode`);
    for (let n = 0; n < 100; n++)
      counts.push(t.call('GET', `/targets/${id}/count`).then(({ status }) => statuses.push(status)));
    const waiting = async () => {
      const { n } = await t.db.one<{ n: number }>(sql`
        select count(*)::int as n from pg_locks
        where relation = ${`${t.db.site.schema}.subscriber`}::regclass and not granted`);
      return n;
    };
    await until(async () => (await waiting()) > 0, 'counts wait for the lock');
    // Calls beyond the limit are refused immediately.
    await until(() => statuses.length >= 68, 'counts are refused');
    expect(await t.otherDb.one(sql`select count(*)::int as n from ${t.otherDb.t.subscriber}`)).toEqual({
      n: 0,
    });
    expect((await t.call('GET', '/fields')).status).toBe(200);
    expect(await waiting()).toBe(2);
  });
  await Promise.all(counts);
  expect(statuses.filter((status) => status === 200)).toHaveLength(32);
  expect(statuses.filter((status) => status === 429)).toHaveLength(68);
});

test('SQL filters that burn processor time leave room to other sites, and to their SQL filters', async () => {
  await addBurning(t.db);
  await t.otherDb.run(sql`insert into ${t.otherDb.t.subscriber} (fld1) values ('a@example.org')`);
  const burning = await targetByExpression(t.db, burningExpression);
  const theirs = await targetByExpression(t.otherDb, "fld1 like 'a%'");
  let answered = 0;
  const counts = Array.from({ length: 10 }, () =>
    t.call('GET', `/targets/${burning}/count`).finally(() => answered++),
  );
  let pids: number[] = [];
  await until(async () => {
    pids = await burningOf(t);
    return pids.length === 2;
  }, 'two of them are evaluated');
  for (let n = 0; n < 20; n++) {
    const asOther = { site: 'other', as: 'admin' } as const;
    expect(await t.call('GET', `/targets/${theirs}/count`, asOther)).toMatchObject({ data: 1 });
    expect((await t.call('GET', '/fields', asOther)).status).toBe(200);
  }
  expect((await t.call('GET', '/fields')).status).toBe(200);
  // The same two run all the time, and no third.
  expect([await burningOf(t), answered]).toEqual([pids, 0]);
  await until(async () => {
    await t.app.control.rows(
      sql`select pg_cancel_backend(pid) from unnest(${await burningOf(t)}::int[]) as b (pid)`,
    );
    return answered === counts.length;
  }, 'all are ended');
  await Promise.allSettled(counts);
});
