import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { type Hit, hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';
import { addHits, storeHits, takeBatchTurn } from './hit-store.ts';

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

describe('storing hits', () => {
  it('keeps them as they came', async () => {
    const open = { ...click, kind: hitKinds.open, idLink: null, address: null };
    expect(await storeHits(db, { source: randomUUID(), number: 1, hits: [click, open] })).toBe(true);
    expect(await stored(40)).toEqual([click, open]);
  });

  it('stores a batch once, and nothing below it', async () => {
    const source = randomUUID();
    const batch = (number: number) => ({ source, number, hits: [{ ...click, idSent: 41 }] });
    expect(await storeHits(db, batch(5))).toBe(true);
    expect(await storeHits(db, batch(5))).toBe(false);
    expect(await storeHits(db, batch(4))).toBe(false);
    expect(await storeHits(db, batch(6))).toBe(true);
    expect(await stored(41)).toHaveLength(2);
  });

  it('waits for a commit that was lost sight of, and adds nothing when it went through', async () => {
    const batch = { source: randomUUID(), number: 1, hits: [{ ...click, idSent: 42 }] };
    let second: Promise<boolean> | undefined;
    await db.transaction(async (tx) => {
      expect(await storeHits(tx, batch)).toBe(true);
      second = storeHits(db, batch);
      await untilSomebodyWaits();
    });
    expect(await second).toBe(false);
    expect(await stored(42)).toHaveLength(1);
  });

  it('stores the batch when the lost commit did not go through', async () => {
    const batch = { source: randomUUID(), number: 1, hits: [{ ...click, idSent: 43 }] };
    let second: Promise<boolean> | undefined;
    const first = db.transaction(async (tx) => {
      await storeHits(tx, batch);
      second = storeHits(db, batch);
      await untilSomebodyWaits();
      throw new Error('rolled back');
    });
    await expect(first).rejects.toThrow('rolled back');
    expect(await second).toBe(true);
    expect(await stored(43)).toHaveLength(1);
  });

  it('gives a turn once to work that carries more than hits', async () => {
    const batch = { source: randomUUID(), number: 3 };
    expect(await takeBatchTurn(db, batch)).toBe(true);
    expect(await takeBatchTurn(db, batch)).toBe(false);
    expect(await storeHits(db, { ...batch, hits: [click] })).toBe(false);
    await addHits(db, [{ ...click, idSent: 44 }]);
    expect(await stored(44)).toHaveLength(1);
  });
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { n } = await db.one<{ n: number }>(sql`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (n > 0) return;
  }
}
