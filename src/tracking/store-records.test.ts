import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { packHits } from '../activity/packed-hits.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit } from '../testing/make-activity.ts';
import type { SpoolRecord } from './spool-record.ts';
import { isAway, storeRecords } from './store-records.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp({ operations: [] });
});
afterAll(() => test.close());

async function readersOf(db: SiteDb, idSent: number): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select id_subscriber as id from ${db.t.hit} where id_sent = ${idSent} order by id`);
  return rows.map((row) => row.id);
}

const openOf = (idSent: number, idSubscriber: number) =>
  packHits([makeHit(idSent, idSubscriber, hitKinds.open)]);
/** What no column could hold: it is refused before it gets here, but the spool's files may hold anything. */
const badPack = { size: 1, hits: 'Mail\u0000\x1c1 1' };

/** One open on each site by the subscriber of the site's number. */
function recordOf(
  idSent: number,
  idsSite: readonly number[],
  number = 1,
  source = randomUUID(),
): SpoolRecord {
  const sites = idsSite.map((idSite) => ({ idSite, pack: openOf(idSent, idSite), unsubscriptions: [] }));
  return { source, number, sites };
}

describe('storing records', () => {
  it('puts each site’s hits on that site, once, and drops those of a site that is gone', async () => {
    const ids = [test.db.site.id, test.otherDb.site.id];
    const record = recordOf(1, [...ids, 9_999]);
    await storeRecords(test.app, [record]);
    await storeRecords(test.app, [record]);
    expect(await readersOf(test.db, 1)).toEqual([ids[0]]);
    expect(await readersOf(test.otherDb, 1)).toEqual([ids[1]]);
  });

  it('stores of records that are given again in other pieces what is not there', async () => {
    const idSite = test.db.site.id;
    const source = randomUUID();
    const records = [1, 2, 3, 4].map((number) => recordOf(5, [idSite], number, source));
    await storeRecords(test.app, records.slice(0, 1));
    await storeRecords(test.app, records.slice(0, 3));
    await storeRecords(test.app, records.slice(1, 2));
    expect(await readersOf(test.db, 5)).toHaveLength(3);
    await storeRecords(test.app, records);
    expect(await readersOf(test.db, 5)).toHaveLength(4);
  });

  it('unsubscribes once, so that a record read back twice does not undo a new subscription', async () => {
    const { db } = test;
    const { id } = await db.one<{ id: number }>(sql`
      insert into ${db.t.subscriber} (fld1) values ('reader@example.com') returning fld0 as id`);
    const one = { at: test.clock.now(), idSent: 2, idSubscriber: id, origin: 'page' as const };
    const sites = [{ idSite: db.site.id, pack: packHits([]), unsubscriptions: [one] }];
    const record = { source: randomUUID(), number: 1, sites };
    const status = () => db.one(sql`select fld7 as status from ${db.t.subscriber} where fld0 = ${id}`);
    await storeRecords(test.app, [record]);
    expect(await status()).toEqual({ status: 1 });
    await db.run(sql`update ${db.t.subscriber} set fld7 = 0 where fld0 = ${id}`);
    await storeRecords(test.app, [record]);
    expect(await status()).toEqual({ status: 0 });
  });

  it('stores the other sites when one is refused, and says so', async () => {
    const { db, otherDb } = test;
    const good = recordOf(3, [otherDb.site.id]);
    const bad = { idSite: db.site.id, pack: badPack, unsubscriptions: [] };
    const error = await storeRecords(test.app, [{ ...good, sites: [bad, ...good.sites] }]).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: '22021' });
    expect(isAway(error)).toBe(false);
    expect(await readersOf(db, 3)).toEqual([]);
    expect(await readersOf(otherDb, 3)).toHaveLength(1);
  });
});

it.each([
  [{ code: 'ECONNREFUSED' }, true],
  [{ code: 'ENOENT' }, true],
  [{ code: '57P01' }, true],
  [{ code: '53300' }, true],
  [{ code: '25006' }, true],
  [{ code: '40001' }, true],
  [new Error('Connection terminated'), true],
  [{ code: '22P02' }, false],
  [{ code: '23505' }, false],
  [{ code: '3F000' }, false],
  [{ code: '42P01' }, false],
  [new TypeError('x is not a function'), false],
])('%j means that the database is away: %s', (error, expected) => {
  expect(isAway(error)).toBe(expected);
});
