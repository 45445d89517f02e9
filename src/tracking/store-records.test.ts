import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit, packHits } from '../testing/make-activity.ts';
import type { SpoolRecord } from './spool-record.ts';
import { type Failure, partsOf, storeParts, whyFailed } from './store-records.ts';

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

function storeRecords(records: readonly SpoolRecord[]): Promise<Failure[]> {
  return storeParts(test.app, partsOf(records));
}

const openOf = (idSent: number, idSubscriber: number) =>
  packHits([makeHit(idSent, idSubscriber, hitKinds.open)]);
/** A pack that no column can hold: it is refused earlier, but a spool file may contain anything. */
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
  it('puts each site’s hits on that site, once, and drops those of a site that no longer exists', async () => {
    const ids = [test.db.site.id, test.otherDb.site.id];
    const record = recordOf(1, [...ids, 9_999]);
    await storeRecords([record]);
    await storeRecords([record]);
    expect(await readersOf(test.db, 1)).toEqual([ids[0]]);
    expect(await readersOf(test.otherDb, 1)).toEqual([ids[1]]);
  });

  it('stores only the missing records when they come again in other pieces', async () => {
    const idSite = test.db.site.id;
    const source = randomUUID();
    const records = [1, 2, 3, 4].map((number) => recordOf(5, [idSite], number, source));
    await storeRecords(records.slice(0, 1));
    await storeRecords(records.slice(0, 3));
    await storeRecords(records.slice(1, 2));
    expect(await readersOf(test.db, 5)).toHaveLength(3);
    await storeRecords(records);
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
    await storeRecords([record]);
    expect(await status()).toEqual({ status: 1 });
    await db.run(sql`update ${db.t.subscriber} set fld7 = 0 where fld0 = ${id}`);
    await storeRecords([record]);
    expect(await status()).toEqual({ status: 0 });
  });

  it('keeps sources apart that are in one file', async () => {
    const idSite = test.db.site.id;
    await storeRecords([7, 8, 9].map((number) => recordOf(6, [idSite], number)));
    expect(await readersOf(test.db, 6)).toHaveLength(3);
    const [one, other] = [recordOf(7, [idSite], 2), recordOf(7, [idSite], 1)];
    await storeRecords([one, other]);
    await storeRecords([other, one]);
    expect(await readersOf(test.db, 7)).toHaveLength(2);
  });

  it('stores the other sites when one is refused, and says so', async () => {
    const { db, otherDb } = test;
    const good = recordOf(3, [otherDb.site.id]);
    const bad = { idSite: db.site.id, pack: badPack, unsubscriptions: [] };
    const failures = await storeRecords([{ ...good, sites: [bad, ...good.sites] }]);
    expect(failures.map(({ part }) => part.idSite)).toEqual([db.site.id]);
    expect(failures.map(({ error }) => whyFailed(error))).toEqual(['refused']);
    expect(await readersOf(db, 3)).toEqual([]);
    expect(await readersOf(otherDb, 3)).toHaveLength(1);
  });
});

it.each([
  [{ code: 'ECONNREFUSED' }, 'away'],
  [{ code: 'ENOENT' }, 'away'],
  [{ code: 'EPIPE' }, 'away'],
  [{ code: '57P01' }, 'away'],
  [{ code: '53300' }, 'away'],
  [{ code: '25006' }, 'away'],
  [{ code: '28P01' }, 'away'],
  [{ code: '3D000' }, 'away'],
  [new Error('Connection terminated'), 'away'],
  [{ code: '40001' }, 'later'],
  [{ code: '55P03' }, 'later'],
  [{ code: '57014' }, 'later'],
  [{ code: 'XX001' }, 'later'],
  [{ code: '42501' }, 'later'],
  [{ code: '22P02' }, 'refused'],
  [{ code: '23505' }, 'refused'],
  [new TypeError('x is not a function'), 'refused'],
  [{ code: '3F000' }, 'broken'],
  [{ code: '42P01' }, 'broken'],
])('%j means: %s', (error, expected) => {
  expect(whyFailed(error)).toBe(expected);
});
