import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { packHits } from '../testing/make-activity.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { type Hit, hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';
import { addHits, endTurn, startTurn } from './hit-store.ts';

let site: TestSite;
let db: SiteDb;
beforeAll(async () => {
  site = await testSite();
  db = site.db;
});
afterAll(() => site.close());

const click: Hit = {
  at: new Date('2026-11-20T10:00:00.123Z'),
  kind: hitKinds.editorial,
  class: hitClasses.human,
  rulesVersion: 1,
  isMobile: true,
  idSent: 40,
  idSubscriber: 1_000,
  idLink: 5_000_000_000,
  isViral: false,
  userAgent: 'a "quoted", {braced} \\ ünïcode agent, null',
  address: '2001:db8::1',
};

async function stored(idSent: number): Promise<Hit[]> {
  return db.rows<Hit>(sql`
    select at, kind, class, rules_version as "rulesVersion", is_mobile as "isMobile", id_sent as "idSent",
      id_subscriber as "idSubscriber", id_link as "idLink", is_viral as "isViral", user_agent as "userAgent",
      host(address) as address
    from ${db.t.hit} where id_sent = ${idSent} order by id, kind desc`);
}

/** Stores batches of one hit each as a spool does; the numbers of those that were new. */
function store(on: SiteDb, source: string, idSent: number, numbers: readonly number[]): Promise<number[]> {
  return on.transaction(async (tx) => {
    const last = await startTurn(tx, source);
    const fresh = numbers.filter((number) => number > last);
    await addHits(
      tx,
      fresh.map(() => packHits([{ ...click, idSent }])),
    );
    await endTurn(tx, source, Math.max(last, ...fresh));
    return fresh;
  });
}

describe('storing hits', () => {
  it('stores them as they came, even as several packs', async () => {
    const open = { ...click, kind: hitKinds.open, idLink: null, address: null };
    await addHits(db, [packHits([click]), packHits([open, { ...click, userAgent: 'other' }])]);
    expect(await stored(40)).toEqual(expect.arrayContaining([click, open, { ...click, userAgent: 'other' }]));
    expect(await stored(40)).toHaveLength(3);
  });

  it('stores each batch of a source once', async () => {
    const source = randomUUID();
    expect(await store(db, source, 41, [1, 2])).toEqual([1, 2]);
    expect(await store(db, source, 41, [1, 2])).toEqual([]);
    expect(await store(db, source, 41, [1])).toEqual([]);
    expect(await store(db, source, 41, [1, 2, 3, 4])).toEqual([3, 4]);
    expect(await stored(41)).toHaveLength(4);
  });

  it('waits for an in-doubt commit, and adds nothing when it succeeded', async () => {
    const source = randomUUID();
    let second: Promise<number[]> | undefined;
    await db.transaction(async (tx) => {
      expect(await store(tx, source, 42, [1])).toEqual([1]);
      second = store(db, source, 42, [1]);
      await untilSomebodyWaits();
    });
    expect(await second).toEqual([]);
    expect(await stored(42)).toHaveLength(1);
  });

  it('stores the batch when the lost commit did not go through', async () => {
    const source = randomUUID();
    let second: Promise<number[]> | undefined;
    const first = db.transaction(async (tx) => {
      await store(tx, source, 43, [1]);
      second = store(db, source, 43, [1]);
      await untilSomebodyWaits();
      throw new Error('rolled back');
    });
    await expect(first).rejects.toThrow('rolled back');
    expect(await second).toEqual([1]);
    expect(await stored(43)).toHaveLength(1);
  });
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { n } = await db.one<{ n: number }>(sql`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (n > 0) return;
  }
}
