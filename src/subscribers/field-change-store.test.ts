import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers } from '../testing/campaign-makers.ts';
import { updateKeeping } from './field-change-store.ts';

describe('changes of an update of many subscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    await makeSubscribers(t.db, [1, 2, 3, 4]);
  });
  afterAll(() => t.close());

  /** Gives all subscribers a postcode; as many changes as `most` are kept. */
  const update = (code: string, most: number) =>
    t.db.transaction((tx) =>
      tx.value<number>(
        updateKeeping(
          tx,
          {
            set: sql`fld40 = i.code`,
            rows: {
              from: sql`(select ${code}::text as code) i cross join ${tx.t.subscriber} s`,
              where: sql`s.fld40 is distinct from i.code`,
            },
            fields: [{ id: 40, fieldType: 'Text' }],
            select: sql`count(*)::int as n`,
          },
          { at: t.clock.now(), by: { cause: 'import', id: 7 }, most },
        ),
      ),
    );
  const kept = () =>
    t.db.rows(sql`
      select id_subscriber as id, id_source as "idImport", changes from ${t.db.t.subscriber_change} order by id`);

  it('are kept up to a number; all subscribers are updated', async () => {
    expect(await update('75001', 3)).toBe(4);
    expect(await kept()).toHaveLength(3);
    expect(
      await t.db.value(sql`select count(*)::int as n from ${t.db.t.subscriber} where fld40 = '75001'`),
    ).toBe(4);
    expect(await update('75001', 3)).toBe(0);
    expect(await kept()).toHaveLength(3);
  });

  it('begin with the value that another transaction has just written', async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber_change}`);
    const other = await t.app.control.pool.connect();
    await other.query(`begin; update ${t.db.site.schema}.subscriber set fld40 = '69001' where fld0 = 2`);
    const updating = update('33000', 10);
    const waiting = sql`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => t.db.value(waiting), { timeout: 20_000 }).toBe(1);
    await other.query('commit');
    other.release();
    expect(await updating).toBe(4);
    const expected = [1, 2, 3, 4].map((id) => ({
      ...{ id, idImport: 7 },
      changes: { 40: [id === 2 ? '69001' : '75001', '33000'] },
    }));
    expect(await kept()).toEqual(expected);
  });
});
