import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProvider } from '../../accounts/provider-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { foldActivity, hasUnfolded } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { receiptStates } from '../../activity/receipt.ts';
import { raiseReceipts } from '../../activity/receipt-store.ts';
import { rebuildSums, reclassifyHits } from '../../activity/reclassify-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';

describe('listRecentProviderStatistics', () => {
  let t: TestApp;
  let ada: number;
  beforeAll(async () => {
    t = await testApp();
    const limits = { maxConnections: 0, messagesPerHour: 0 };
    const provider = { name: 'Mail of Ada', mxSuffixes: [], domains: ['ada.example'], ...limits };
    ada = (await insertProvider(t.app.control, provider)).id;
  });
  afterAll(() => t.close());

  const get = (nbDays: number) =>
    t.call('GET', '/statistics/recent-providers', { query: { nbDays }, as: 'reader' });
  const report = (idSent: number, idSubscriber: number, kind: number, digest: string, isRefusal = false) =>
    t.db.run(sql`
      insert into ${t.db.t.bounce} (id_sent, id_subscriber, class, status, at, digest, is_refusal)
      values (${idSent}, ${idSubscriber}, ${kind}, '', now(), ${Buffer.from(`${idSent} ${digest}`)}, ${isRefusal})`);
  const today = new Date('2026-11-20T09:00:00Z');
  const providerOf = (id: number) => (id % 2 === 1 ? ada : 0);

  it('200 with an empty list where nothing was sent', async () => {
    expect(await get(30)).toMatchObject({ status: 200, typeName: 'ProviderResults[]', data: [] });
  });

  it('200 sums all sendings by provider; each recipient counts once, whatever comes in which order', async () => {
    const first = await makeJob(t.db);
    const idSent = first.idsSent[0]!;
    // A report whose receipt is still to come waits.
    await report(idSent, 3, bounceClasses.hard, '3');
    await foldActivity(t.db);
    expect((await get(30)).data).toEqual([]);
    const results = {
      accepted: [1, 2, 3, 4, 7, 9],
      refused: [5],
      expired: [6],
      uncertain: [8],
      providerOf,
      at: today,
    };
    await makeReceipts(t.db, first.idJob, idSent, results);
    // A refused mailbox has a report as well, a delayed message may have two; others are no failures.
    await report(idSent, 5, bounceClasses.hard, '5');
    await report(idSent, 3, bounceClasses.soft, '3 again');
    await report(idSent, 4, bounceClasses.autoReply, '4');
    await report(idSent, 7, bounceClasses.complaint, '7');
    await report(idSent, 8, bounceClasses.dns, '8');
    const second = await makeJob(t.db);
    await makeReceipts(t.db, second.idJob, second.idsSent[0]!, { accepted: [1, 2], providerOf, at: today });
    const test = await makeJob(t.db, { isTest: true });
    await makeReceipts(t.db, test.idJob, test.idsSent[0]!, { accepted: [1, 2], providerOf, at: today });
    const expected = [
      { idFai: ada, isp: 'Mail of Ada', nbSent: 6, nbNotDelivered: 2, nbHumanOpeners: 0 },
      { idFai: 0, isp: 'Others', nbSent: 5, nbNotDelivered: 2, nbHumanOpeners: 0 },
    ];
    for (let times = 0; times < 2; times++) {
      await foldActivity(t.db);
      expect((await get(30)).data).toEqual(expected);
    }
  });

  it('200 counts receipts that were aggregated before there were sums by provider', async () => {
    const { receipt_range, bounce, provider_day } = t.db.t;
    const before = (await get(30)).data;
    await t.db.run(sql`delete from ${provider_day}`);
    await t.db.run(sql`update ${receipt_range} set is_counted = false, is_folded = true`);
    await t.db.run(sql`update ${bounce} set is_counted = false`);
    await foldActivity(t.db);
    expect((await get(30)).data).toEqual(before);
  });

  it('200 of the period only, by the day of the receipt', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    const at = new Date('2026-11-10T09:00:00Z');
    await makeReceipts(t.db, idJob, idsSent[0]!, { accepted: [21, 23], providerOf, at });
    await report(idsSent[0]!, 21, bounceClasses.hard, '21');
    await foldActivity(t.db);
    expect((await get(11)).data).toMatchObject([{ nbSent: 8, nbNotDelivered: 3 }, {}]);
    expect((await get(10)).data).toMatchObject([{ nbSent: 6, nbNotDelivered: 2 }, {}]);
  });

  it('200 counts a recipient once when a second message reaches them after the first was refused', async () => {
    const count = async () => {
      while (await hasUnfolded(t.db)) await foldActivity(t.db);
      return ((await get(1)).data as { nbSent: number; nbNotDelivered: number }[]).reduce(
        (sum, one) => [sum[0]! + one.nbSent, sum[1]! + one.nbNotDelivered],
        [0, 0],
      );
    };
    const [sent, failed] = (await count()) as [number, number];
    const { idJob, idsSent } = await makeJob(t.db);
    const idSent = idsSent[0]!;
    await makeReceipts(t.db, idJob, idSent, {
      accepted: [],
      refused: [31, 32],
      expired: [33],
      providerOf,
      at: today,
    });
    await report(idSent, 31, bounceClasses.hard, '31', true);
    expect(await count()).toEqual([sent + 3, failed + 3]);
    await t.db.transaction((tx) => raiseReceipts(tx, idSent, [31, 33]));
    expect(await count()).toEqual([sent + 3, failed + 1]);
    // One of them bounces later; its report alone starts an aggregation.
    await report(idSent, 31, bounceClasses.soft, '31 later');
    expect(await hasUnfolded(t.db)).toBe(true);
    expect(await count()).toEqual([sent + 3, failed + 2]);
    const cancelled = await makeJob(t.db);
    await makeReceipts(t.db, cancelled.idJob, cancelled.idsSent[0]!, {
      accepted: [34],
      providerOf,
      at: today,
    });
    await t.db.run(sql`
      update ${t.db.t.receipt_range} set states = ${[receiptStates.cancelled]}::smallint[]
      where id_sent = ${cancelled.idsSent[0]!}`);
    expect(await count()).toEqual([sent + 3, failed + 2]);
    await t.db.transaction((tx) => raiseReceipts(tx, cancelled.idsSent[0]!, [34]));
    expect(await count()).toEqual([sent + 4, failed + 2]);
  });

  it('200 counts each person who opened once, whether the open or the receipt comes first', async () => {
    const openers = async () => {
      while (await hasUnfolded(t.db)) await foldActivity(t.db);
      const results = (await get(1)).data as { idFai: number; nbHumanOpeners: number }[];
      return [ada, 0].map((id) => results.find(({ idFai }) => idFai === id)!.nbHumanOpeners);
    };
    const { idJob, idsSent } = await makeJob(t.db);
    const idSent = idsSent[0]!;
    const open = (id: number, of: object = {}) => makeHit(idSent, id, hitKinds.open, of);
    expect(await openers()).toEqual([0, 0]);
    await makeHits(t.db, [open(41)]);
    expect(await openers()).toEqual([0, 0]);
    await makeReceipts(t.db, idJob, idSent, { accepted: [41, 42, 43, 44, 45, 46], providerOf, at: today });
    expect(await openers()).toEqual([1, 0]);
    await makeHits(t.db, [
      open(42),
      makeHit(idSent, 42, hitKinds.editorial),
      open(43, { class: hitClasses.mpp }),
      makeHit(idSent, 44, hitKinds.editorial),
      open(45, { userAgent: 'Scanner' }),
    ]);
    expect(await openers()).toEqual([2, 2]);
    await makeHits(t.db, [open(41), open(43)]);
    expect(await openers()).toEqual([3, 2]);
    const test = await makeJob(t.db, { isTest: true });
    await makeReceipts(t.db, test.idJob, test.idsSent[0]!, { accepted: [41], providerOf, at: today });
    await makeHits(t.db, [makeHit(test.idsSent[0]!, 41, hitKinds.open)]);
    expect(await openers()).toEqual([3, 2]);
    const judge = (judged: { userAgent: string; class: number }) =>
      (judged.userAgent === 'Scanner' ? hitClasses.mpp : judged.class) as never;
    await reclassifyHits(t.db, judge);
    expect(await openers()).toEqual([2, 2]);
    await rebuildSums(t.db);
    expect(await openers()).toEqual([2, 2]);
    // Receipts that are counted again bring their openers with them.
    await t.db.run(sql`delete from ${t.db.t.provider_day}`);
    await t.db.run(sql`update ${t.db.t.receipt_range} set is_counted = false`);
    expect(await openers()).toEqual([2, 2]);
  });

  it('400 without a number of days', async () => {
    expect(await t.call('GET', '/statistics/recent-providers', { as: 'reader' })).toMatchObject({
      status: 400,
    });
  });
});
