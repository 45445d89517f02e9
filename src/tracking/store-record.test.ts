import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeHit } from '../testing/make-activity.ts';
import { HitRecorder } from './hit-recorder.ts';
import { Spool } from './spool.ts';
import type { SpoolRecord } from './spool-record.ts';
import { isAway, storeRecord } from './store-record.ts';

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

function recordOf(idSent: number, idsSite: readonly number[], address: string | null = null): SpoolRecord {
  const sites = idsSite.map((idSite) => ({
    idSite,
    hits: [makeHit(idSent, idSite, hitKinds.open, { address })],
    unsubscriptions: [],
  }));
  return { source: randomUUID(), number: 1, sites };
}

describe('storing a record', () => {
  it('puts each site’s hits on that site, once, and drops those of a site that is gone', async () => {
    const ids = [test.db.site.id, test.otherDb.site.id];
    const record = recordOf(1, [...ids, 9_999]);
    await storeRecord(test.app, record);
    await storeRecord(test.app, record);
    expect(await readersOf(test.db, 1)).toEqual([ids[0]]);
    expect(await readersOf(test.otherDb, 1)).toEqual([ids[1]]);
  });

  it('unsubscribes once, so that a record read back twice does not undo a new subscription', async () => {
    const { db } = test;
    const { id } = await db.one<{ id: number }>(sql`
      insert into ${db.t.subscriber} (fld1) values ('reader@example.com') returning fld0 as id`);
    const one = { at: test.clock.now(), idSent: 2, idSubscriber: id, origin: 'page' as const };
    const sites = [{ idSite: db.site.id, hits: [], unsubscriptions: [one] }];
    const record = { source: randomUUID(), number: 1, sites };
    const status = () => db.one(sql`select fld7 as status from ${db.t.subscriber} where fld0 = ${id}`);
    await storeRecord(test.app, record);
    expect(await status()).toEqual({ status: 1 });
    await db.run(sql`update ${db.t.subscriber} set fld7 = 0 where fld0 = ${id}`);
    await storeRecord(test.app, record);
    expect(await status()).toEqual({ status: 0 });
  });

  it('stores the other sites when one is refused, and says so', async () => {
    const { db, otherDb } = test;
    const good = recordOf(3, [otherDb.site.id]);
    const bad = recordOf(3, [db.site.id], 'no address');
    const both = { ...good, sites: [...bad.sites, ...good.sites] };
    const error = await storeRecord(test.app, both).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(isAway(error)).toBe(false);
    expect(await readersOf(db, 3)).toEqual([]);
    expect(await readersOf(otherDb, 3)).toHaveLength(1);
  });

  it('takes what the database will never take out of the spool, and keeps it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'facteur-spool-'));
    const spool = new Spool(dir);
    const bad = recordOf(4, [test.db.site.id], 'no address');
    const good = recordOf(4, [test.db.site.id]);
    await spool.append(bad);
    await spool.append(good);
    await spool.finish();
    // As if its process had ended: no process has this number.
    const [name = ''] = await readdir(dir);
    const [host, , ...rest] = name.split('-');
    await rename(join(dir, name), join(dir, [host, 2 ** 22 + 1, ...rest].join('-')));
    const recorder = new HitRecorder(test.app, dir);
    await vi.waitFor(async () => {
      expect(await readdir(dir)).toEqual([expect.stringMatching(/\.refused$/)]);
    });
    await recorder.close();
    expect(await readersOf(test.db, 4)).toEqual([test.db.site.id]);
    const [kept = ''] = await readdir(dir);
    expect(JSON.parse(await readFile(join(dir, kept), 'utf8'))).toMatchObject({ source: bad.source });
    await rm(dir, { recursive: true });
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
