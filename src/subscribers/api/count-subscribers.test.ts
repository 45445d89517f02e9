import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { exactUpTo } from '../count-store.ts';
import { sumGrowth } from '../growth-store.ts';
import { subscribersOperations } from '../operations.ts';

describe('countSubscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
  });
  afterAll(() => t.close());

  const count = () => t.call('GET', '/subscribers/count', { as: 'reader' });
  const add = (from: number, to: number) =>
    t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7)
      select 'p' || n || '@example.com', n % 2 from generate_series(${from}::int, ${to}::int) n`);

  it('200 counts everyone, without the archive and other sites', async () => {
    expect(await count()).toMatchObject({
      status: 200,
      data: { count: 0, isEstimate: false, nbEligible: 0 },
    });
    await add(1, 3);
    await t.otherDb.run(sql`insert into ${t.otherDb.t.subscriber} (fld1) values ('p@example.com')`);
    expect((await count()).data).toEqual({ count: 3, isEstimate: false, nbEligible: 1 });
    await t.call('DELETE', '/subscribers', { body: [2] });
    expect((await count()).data).toEqual({ count: 2, isEstimate: false, nbEligible: 0 });
  });

  it('200 counts exactly up to a limit, and estimates above it', async () => {
    await add(4, exactUpTo + 1);
    expect((await count()).data).toMatchObject({ count: exactUpTo, isEstimate: false });
    await add(exactUpTo + 2, 40_000);
    await t.db.run(sql`analyze ${t.db.t.subscriber}`);
    expect((await count()).data).toMatchObject({ count: 39_999, isEstimate: true });
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 > 20000`);
    const { count: estimate } = (await count()).data as { count: number };
    expect(estimate).toBeGreaterThan(exactUpTo);
  });

  it('200 with those who are subscribed and reachable, before and after the changes are summed', async () => {
    const { subscriber } = t.db.t;
    const eligible = async () => ((await count()).data as { nbEligible: number }).nbEligible;
    /** The same number, read from the subscribers themselves. */
    const read = () =>
      t.db.value<number>(
        sql`select count(*)::int as n from ${subscriber} where fld7 = 0 and fld44 in (0, 1)`,
      );
    expect(await eligible()).toBe(await read());
    await t.db.run(sql`update ${subscriber} set fld7 = 1 where fld1 like 'p10%'`);
    await t.db.run(sql`update ${subscriber} set fld44 = 2 where fld1 like 'p12%'`);
    await t.db.run(sql`update ${subscriber} set fld44 = 1 where fld1 like 'p14%'`);
    await t.db.run(sql`delete from ${subscriber} where fld1 like 'p16%'`);
    expect(await eligible()).toBe(await read());
    await sumGrowth(t.db);
    expect(await eligible()).toBe(await read());
    await t.db.run(sql`update ${subscriber} set fld7 = 0 where fld1 like 'p10%'`);
    expect(await eligible()).toBe(await read());
  });
});
