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
});
