import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { sumGrowth } from '../growth-store.ts';

describe('countEligible', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const count = () => t.call('GET', '/subscribers/eligible/count', { as: 'reader' });
  const counted = async () => (await count()).data as number;
  /** The same number, read from the subscribers themselves. */
  const read = () =>
    t.db.value<number>(
      sql`select count(*)::int as n from ${t.db.t.subscriber} where fld7 = 0 and fld44 in (0, 1)`,
    );

  it('200 with 0 on an empty site', async () => {
    expect(await count()).toMatchObject({ status: 200, data: 0 });
  });

  it('200 with those who are subscribed and reachable, before and after the changes are summed', async () => {
    const created = Array.from({ length: 6 }, (_, i) => ({
      fields: [{ idField: 1, value: `person${i}@example.org` }],
    }));
    await t.call('POST', '/subscribers', { body: created });
    expect(await counted()).toBe(6);
    const { t: tables } = t.db;
    await t.db.run(sql`update ${tables.subscriber} set fld7 = 1 where fld1 like 'person0@%'`);
    await t.db.run(sql`update ${tables.subscriber} set fld44 = 2 where fld1 like 'person1@%'`);
    await t.db.run(sql`update ${tables.subscriber} set fld44 = 1 where fld1 like 'person2@%'`);
    await t.db.run(sql`delete from ${tables.subscriber} where fld1 like 'person3@%'`);
    expect([await counted(), await read()]).toEqual([3, 3]);
    await sumGrowth(t.db);
    expect(await counted()).toBe(3);
    await t.db.run(sql`update ${tables.subscriber} set fld7 = 0 where fld1 like 'person0@%'`);
    expect([await counted(), await read()]).toEqual([4, 4]);
  });
});
