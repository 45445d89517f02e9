import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sql, sql } from '../platform/db/sql.ts';
import { parisDayOf } from '../platform/paris-time.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { scannedTables } from '../testing/scanned-tables.ts';
import { mayReceive } from './eligibility.ts';
import { countGrowthAs, growthSince, sumGrowth } from './growth-store.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());
beforeEach(async () => {
  const { subscriber, archived_subscriber, growth } = t.db.t;
  for (const table of [subscriber, archived_subscriber, growth]) await t.db.run(sql`delete from ${table}`);
  await t.db.run(sql`delete from ${growth}`);
});

const add = (ids: readonly number[], status = 0, state = 0) =>
  t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1, fld7, fld44)
    select id, id || '@example.org', ${status}, ${state} from unnest(${ids}::int[]) id`);
const grown = async () =>
  (await growthSince(t.db, '2000-01-01')).map(({ cause, idSource, nbJoined, nbLeft }) => [
    cause,
    idSource,
    nbJoined,
    nbLeft,
  ]);

describe('growth', () => {
  it('counts those who join and leave, not those who are not eligible before or after', async () => {
    const { subscriber } = t.db.t;
    await add([1, 2, 3]);
    await add([4, 5], 1);
    await add([6], 0, 2);
    await add([7], 0, 1);
    await t.db.run(sql`update ${subscriber} set fld7 = 1 where fld0 in (1, 2, 4)`);
    await t.db.run(sql`update ${subscriber} set fld44 = 1 where fld0 = 3`);
    await t.db.run(sql`update ${subscriber} set fld7 = 0 where fld0 in (5, 6)`);
    await t.db.run(sql`delete from ${subscriber} where fld0 in (1, 3)`);
    expect(await grown()).toEqual([['api', 0, 5, 3]]);
  });

  it('names the cause of its transaction, and of no other', async () => {
    await t.db.transaction(async (tx) => {
      await countGrowthAs(tx, 'import', 12);
      await tx.run(
        sql`insert into ${tx.t.subscriber} (fld0, fld1) values (1, 'a@example.org'), (2, 'b@example.org')`,
      );
      await countGrowthAs(tx, 'bounce', 7);
      await tx.run(sql`update ${tx.t.subscriber} set fld44 = 2 where fld0 = 1`);
    });
    await add([3]);
    const expected = [
      ['import', 12, 2, 0],
      ['api', 0, 1, 0],
      ['bounce', 7, 0, 1],
    ];
    expect(await grown()).toEqual(expected);
    for (let times = 0; times < 2; times++) {
      await sumGrowth(t.db);
      expect(await grown()).toEqual(expected);
      expect(await t.db.rows(sql`select from ${t.db.t.growth} where not is_sum`)).toEqual([]);
    }
  });

  it('writes one row for each statement, however many people it turns', async () => {
    await add([1, 2, 3, 4]);
    const { subscriber, growth } = t.db.t;
    await t.db.run(sql`update ${subscriber} set fld7 = 1`);
    await t.db.transaction(async (tx) => {
      await tx.run(sql`update ${subscriber} set fld7 = 0 where fld0 < 3`);
      await tx.run(sql`update ${subscriber} set fld7 = 1 - fld7 where fld0 in (1, 4)`);
    });
    expect(
      await t.db.rows(sql`select nb_joined, nb_left from ${growth} order by nb_left desc, nb_joined desc`),
    ).toEqual([
      { nb_joined: 0, nb_left: 4 },
      { nb_joined: 1, nb_left: 1 },
      { nb_joined: 4, nb_left: 0 },
      { nb_joined: 2, nb_left: 0 },
    ]);
  });

  it('leaves nothing of a transaction that is rolled back', async () => {
    const broken = t.db.transaction(async (tx) => {
      await tx.run(sql`insert into ${tx.t.subscriber} (fld1) values ('a@example.org')`);
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(await grown()).toEqual([]);
  });

  it('is at each moment what the number of eligible people has changed by, whatever is written', async () => {
    const { subscriber } = t.db.t;
    const among = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
    const status = fc.integer({ min: 0, max: 1 });
    const state = fc.integer({ min: 0, max: 3 });
    const change = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), ids: among, status, state }),
      fc.record({ kind: fc.constant('change' as const), ids: among, status, state }),
      fc.record({ kind: fc.constant('remove' as const), ids: among, status, state }),
      fc.record({ kind: fc.constant('sum' as const), ids: among, status, state }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        for (const { kind, ids, status: is, state: delivery } of changes) {
          if (kind === 'sum') await sumGrowth(t.db);
          const statements: Readonly<Record<Exclude<typeof kind, 'sum'>, Sql>> = {
            add: sql`insert into ${subscriber} (fld0, fld1, fld7, fld44)
              select id, id || '@example.org', ${is}, ${delivery} from unnest(${ids}::int[]) id
              where id not in (select fld0 from ${subscriber})`,
            change: sql`update ${subscriber} set fld7 = ${is}, fld44 = ${delivery} where fld0 = any(${ids}::int[])`,
            remove: sql`delete from ${subscriber} where fld0 = any(${ids}::int[])`,
          };
          if (kind !== 'sum') await t.db.run(statements[kind]);
          const left = await t.db.value<number>(
            sql`select count(*) as n from ${subscriber} where ${mayReceive()}`,
          );
          const sum = (await grown()).reduce(
            (total, [, , joined, gone]) => total + Number(joined) - Number(gone),
            0,
          );
          expect(sum).toBe(left);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('names the largest sources of a day, and adds up the others by cause', async () => {
    for (let id = 1; id <= 12; id++)
      await t.db.transaction(async (tx) => {
        await countGrowthAs(tx, 'import', id);
        const ids = Array.from({ length: id }, (_, n) => 100 * id + n);
        await tx.run(sql`
          insert into ${tx.t.subscriber} (fld0, fld1) select id, id || '@example.org' from unnest(${ids}::int[]) id`);
      });
    expect(await grown()).toEqual([
      ...[12, 11, 10, 9, 8, 7, 6, 5, 4].map((id) => ['import', id, id, 0]),
      ['import', 0, 3, 0],
      ['import', 3, 3, 0],
    ]);
  });

  it('reads no subscriber', async () => {
    const read = await scannedTables(t.db, (db) => growthSince(db, '2026-11-01'));
    expect(read).not.toContain('subscriber');
  });

  it('takes of the time before it only what is stored', async () => {
    const { subscriber, archived_subscriber, unsubscription, growth } = t.db.t;
    const on = (day: string) => new Date(`${day}T12:00:00Z`);
    await t.db.run(sql`
      insert into ${subscriber} (fld0, fld1, fld2, fld4, fld7, fld44, fld45) values
        (1, 'a@example.org', ${on('2026-01-01')}, null, 0, 0, null),
        (2, 'b@example.org', ${on('2026-01-01')}, ${on('2026-02-01')}, 1, 0, null),
        (3, 'c@example.org', ${on('2026-01-02')}, ${on('2026-02-02')}, 1, 0, null),
        (4, 'd@example.org', ${on('2026-01-02')}, null, 0, 2, ${on('2026-02-03')}),
        (5, 'e@example.org', null, null, 0, 0, null),
        (6, 'f@example.org', null, null, 1, 0, null),
        (7, 'g@example.org', null, null, 0, 3, null),
        (8, 'h@example.org', '9999-12-31T23:59:59Z', null, 0, 0, null)`);
    await t.db.run(sql`
      insert into ${unsubscription} (id_sent, id_subscriber, at, origin) values (1, 2, ${on('2026-02-01')}, 'page')`);
    await t.db.run(sql`
      insert into ${archived_subscriber} (id, email, archived_at, fields)
      values (9, 'z@example.org', ${on('2026-03-01')}, '{"2": "2026-01-01T12:00:00", "7": "0"}')`);
    await t.db.run(sql`delete from ${growth}`);
    const path = fileURLToPath(new URL('../../migrations/site/0104-growth-and-samples.sql', import.meta.url));
    const [statement] = /with archived as[^;]+;/.exec(readFileSync(path, 'utf8'))!;
    await t.db.transaction(async (tx) => {
      await tx.run(sql`select set_config('search_path', ${tx.site.schema}, true)`);
      await tx.withClient((client) => client.query(statement));
    });
    const rows = await growthSince(t.db, '1970-01-01');
    // No date is after today, and the sum is the number of eligible people: 1, 5 and 8.
    expect(rows.at(-1)!.day).toBe(parisDayOf(new Date()).toString());
    expect(rows.reduce((sum, { nbJoined, nbLeft }) => sum + nbJoined - nbLeft, 0)).toBe(3);
    expect(
      rows.slice(0, -1).map(({ day, cause, nbJoined, nbLeft }) => [day, cause, nbJoined, nbLeft]),
    ).toEqual([
      ['1970-01-01', 'unknown', 3, 1],
      ['1970-01-01', 'complaint', 0, 1],
      ['2026-01-01', 'unknown', 3, 0],
      ['2026-01-02', 'unknown', 2, 0],
      ['2026-02-01', 'page', 0, 1],
      ['2026-02-02', 'unknown', 0, 1],
      ['2026-02-03', 'bounce', 0, 1],
      ['2026-03-01', 'deleted', 0, 1],
    ]);
    await t.db.run(sql`delete from ${unsubscription}`);
  });
});
