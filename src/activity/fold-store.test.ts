import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { acts } from './act.ts';
import { countersOfSents } from './counter-store.ts';
import { foldActivity } from './fold-store.ts';
import { hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';

const { open, editorial } = hitKinds;
const at = (text: string) => new Date(`2026-${text}Z`);

describe('folding', () => {
  let site: TestSite;
  let db: SiteDb;
  let idJob: number;
  let sent: number;
  beforeAll(async () => {
    site = await testSite();
    db = site.db;
    const made = await makeJob(db);
    idJob = made.idJob;
    sent = made.idsSent[0]!;
  });
  afterAll(() => site.close());

  /** How often each subscriber did it on each Paris day, from the sums. */
  async function sums(act: number): Promise<Record<string, Record<number, number>>> {
    const rows = await db.rows<{ day: string; id: number; n: number }>(sql`
      select day::text, chunk * 32768 + bit as id, sum((1 << (plane::int - 1)))::int as n
      from ${db.t.act_by_day}, unnest(planes) with ordinality p (bits, plane), generate_series(0, 32767) bit
      where act = ${act} and days = 1 and get_bit(bits, bit) = 1
      group by day, id order by day, id`);
    const days: Record<string, Record<number, number>> = {};
    for (const { day, id, n } of rows) days[day] = { ...days[day], [id]: n };
    return days;
  }

  it('does nothing where nothing happened', async () => {
    expect(await foldActivity(db)).toEqual({ hits: 0, receipts: 0, bounces: 0 });
  });

  it('moves hits to their months and adds them up by Paris days', async () => {
    await makeHits(db, [
      makeHit(sent, 1, open, { at: at('10-31T22:59:59') }),
      makeHit(sent, 1, open, { at: at('10-31T23:00:00') }),
      makeHit(sent, 1, open, { at: at('11-01T10:00:00') }),
      makeHit(sent, 40_000, open, { at: at('11-01T10:00:00'), class: hitClasses.mpp }),
      makeHit(sent, 2, editorial, { at: at('11-02T10:00:00') }),
      makeHit(sent, 2, editorial, { at: at('11-03T10:00:00') }),
    ]);
    const before = await countersOfSents(db, [sent]);
    expect(await foldActivity(db)).toEqual({ hits: 6, receipts: 0, bounces: 0 });
    expect(await countersOfSents(db, [sent])).toEqual(before);
    expect(await sums(acts.open)).toEqual({
      '2026-10-31': { 1: 1 },
      '2026-11-01': { 1: 2, 40000: 1 },
      '2026-11-02': { 2: 1 },
    });
    expect(await sums(acts.openWithoutMpp)).toEqual({
      '2026-10-31': { 1: 1 },
      '2026-11-01': { 1: 2 },
      '2026-11-02': { 2: 1 },
    });
    expect(await sums(acts.click)).toEqual({ '2026-11-02': { 2: 1 }, '2026-11-03': { 2: 1 } });
    const months = await db.rows(sql`
      select tableoid::regclass::text as name, count(*) as n from ${db.t.hit_folded} group by 1 order by 1`);
    expect(months).toEqual([
      { name: 'site_demo.hit_2026_10', n: 2 },
      { name: 'site_demo.hit_2026_11', n: 4 },
    ]);
  });

  it('removes the open that a click implied when a fetch of the pixel follows', async () => {
    await makeHits(db, [makeHit(sent, 2, open, { at: at('11-04T10:00:00') })]);
    await foldActivity(db);
    expect(await sums(acts.open)).toMatchObject({ '2026-11-04': { 2: 1 } });
    expect((await sums(acts.open))['2026-11-02']).toBeUndefined();
    expect((await countersOfSents(db, [sent])).get(sent)).toMatchObject({ nbOpenings: 5, nbOpeners: 3 });
  });

  it('moves the open that a click implied when an earlier click is stored later', async () => {
    await makeHits(db, [makeHit(sent, 3, editorial, { at: at('11-06T10:00:00') })]);
    await foldActivity(db);
    await makeHits(db, [makeHit(sent, 3, editorial, { at: at('11-05T10:00:00') })]);
    await foldActivity(db);
    expect(await sums(acts.open)).toMatchObject({ '2026-11-05': { 3: 1 } });
    expect((await sums(acts.open))['2026-11-06']).toBeUndefined();
  });

  it('leaves test mailings out of what filters use, and counts them for themselves', async () => {
    const { idsSent } = await makeJob(db, { isTest: true });
    const before = await sums(acts.open);
    await makeHits(db, [makeHit(idsSent[0]!, 9, open)]);
    await foldActivity(db);
    expect(await sums(acts.open)).toEqual(before);
    expect((await countersOfSents(db, idsSent)).get(idsSent[0]!)).toMatchObject({ nbOpenings: 1 });
  });

  it('stores who received a sending, by Paris days', async () => {
    await makeReceipts(db, idJob, sent, { accepted: [2, 5, 70_000], refused: [3], at: at('11-01T22:59:59') });
    await makeReceipts(db, idJob, sent, { accepted: [100_000], at: at('11-01T23:00:00') });
    expect(await foldActivity(db)).toEqual({ hits: 0, receipts: 5, bounces: 0 });
    const rows = await db.rows(sql`
      select day::text, array_agg(chunk * 32768 + bit order by chunk, bit) as ids
      from ${db.t.received_by_day}, generate_series(0, 32767) bit
      where id_sent = ${sent} and get_bit(received, bit) = 1 group by day order by day`);
    expect(rows).toEqual([
      { day: '2026-11-01', ids: [2, 5, 70_000] },
      { day: '2026-11-02', ids: [100_000] },
    ]);
    expect(await foldActivity(db)).toEqual({ hits: 0, receipts: 0, bounces: 0 });
  });

  describe('in a sending with many ranges', () => {
    const day = at('11-05T10:00:00');
    const openers = () =>
      db.value<number>(sql`select nb_human_openers as n from ${db.t.provider_day} where day = '2026-11-05'`);
    const openAll = (idSent: number, ids: readonly number[]) =>
      makeHits(
        db,
        ids.map((id) => makeHit(idSent, id, open)),
      );
    /** Aggregates, and returns the number of rows that it read of the ranges and of the aggregated hits. */
    const rowsRead = () =>
      db.transaction(async (tx) => {
        // The counts of a connection may include those of earlier transactions.
        const count = () =>
          tx.value<number>(sql`
            select sum(pg_stat_get_xact_tuples_returned(oid))::int
            from pg_class
            where relnamespace = ${tx.site.schema}::regnamespace and relname ~ '^(receipt_range|hit_2)'`);
        const before = await count();
        // A table of a few pages is read as a whole, for less than an index costs.
        await tx.run(sql`set local enable_seqscan = off`);
        await foldActivity(tx);
        return (await count()) - before;
      });

    it('reads only what the new hits and receipts concern', async () => {
      const { idJob, idsSent } = await makeJob(db);
      const id = idsSent[0]!;
      const readers = Array.from({ length: 500 }, (_, index) => 10 * (index + 1));
      for (const reader of readers) await makeReceipts(db, idJob, id, { accepted: [reader], at: day });
      await openAll(
        id,
        readers.filter((reader) => reader !== 2000),
      );
      for (let times = 0; times < 4; times++) await foldActivity(db);
      expect(await openers()).toBe(499);
      // Otherwise the former versions of the ranges are read as well.
      await db.run(sql`vacuum analyze ${db.t.receipt_range}, ${db.t.hit_folded}`);
      await openAll(id, [2000]);
      expect(await rowsRead()).toBeLessThan(50);
      expect(await openers()).toBe(500);
      await openAll(id, [6000]);
      await foldActivity(db);
      await makeReceipts(db, idJob, id, { accepted: [6000, 6001], at: day });
      expect(await rowsRead()).toBeLessThan(50);
      expect(await openers()).toBe(501);
    });

    it('counts the openers of ranges that overlap, and of large ones, before and after their receipts', async () => {
      const { idJob, idsSent } = await makeJob(db);
      const id = idsSent[0]!;
      const before = await openers();
      const large = Array.from({ length: 600 }, (_, index) => 1001 + index);
      await openAll(id, [39, 1001, 1300, 1600, 1601]);
      await foldActivity(db);
      expect(await openers()).toBe(before);
      for (const accepted of [[3, 90, 900], [30, 60, 300], [33, 39], large])
        await makeReceipts(db, idJob, id, { accepted, at: day });
      await foldActivity(db);
      expect(await openers()).toBe(before + 4);
      await openAll(id, [3, 60, 33, 39, 900, 901, 1300, 1400]);
      await foldActivity(db);
      expect(await openers()).toBe(before + 9);
    });
  });
});
