import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { makeBounce, makeHit, makeHits } from '../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { bounceClasses } from './bounce.ts';
import { countersOfSents, humanClickersOf } from './counter-store.ts';
import { type Counters, noCounters, sumCounters } from './counters.ts';
import { foldActivity } from './fold-store.ts';
import { type Hit, hitKinds } from './hit.ts';
import { type HitClass, hitClasses } from './hit-class.ts';
import { type ReceiptState, receiptStates } from './receipt.ts';
import { recordReceipts } from './receipt-store.ts';
import { recordUnsubscription } from './unsubscription-store.ts';

let site: TestSite;
let db: SiteDb;
beforeAll(async () => {
  site = await testSite();
  db = site.db;
});
afterAll(() => site.close());

const at = new Date('2026-11-20T10:00:00Z');
describe('counters', () => {
  it('are zero for a sending without activity, and for no sending', async () => {
    expect(await countersOfSents(db, [9_999])).toEqual(new Map([[9_999, noCounters]]));
    expect(await countersOfSents(db, [])).toEqual(new Map());
  });

  it('count events and distinct readers, with and without machines', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await makeHits(db, [
      makeHit(id, 1, hitKinds.open),
      makeHit(id, 1, hitKinds.open, { class: hitClasses.mpp }),
      makeHit(id, 2, hitKinds.open, { class: hitClasses.mpp }),
      makeHit(id, 3, hitKinds.open, { class: hitClasses.imageProxy }),
      makeHit(id, 4, hitKinds.open, { class: hitClasses.scanner }),
    ]);
    expect(await one(id)).toMatchObject({
      nbOpenings: 5,
      nbOpeners: 4,
      nbHumanOpenings: 2,
      nbHumanOpeners: 2,
      nbClicks: 0,
    });
  });

  it('count human clickers other than on the unsubscribe link, before and after hits are aggregated', async () => {
    const { idsSent } = await makeJob(db, { sents: 2 });
    const [id, other] = [idsSent[0]!, idsSent[1]!];
    const later = (ms: number) => new Date(at.getTime() + ms);
    await makeHits(db, [
      makeHit(id, 1, hitKinds.editorial),
      makeHit(id, 1, hitKinds.advertisement),
      makeHit(id, 2, hitKinds.mirror),
      makeHit(id, 3, hitKinds.unsubscription),
      makeHit(id, 4, hitKinds.editorial, { class: hitClasses.scanner }),
      makeHit(id, 5, hitKinds.open),
      makeHit(id, 6, hitKinds.editorial, { idLink: 1, at: later(0) }),
      makeHit(id, 6, hitKinds.editorial, { idLink: 2, at: later(500) }),
    ]);
    expect(await humanClickersOf(db, [id, other])).toEqual(new Map([[id, 3]]));
    await foldActivity(db);
    expect(await humanClickersOf(db, [id, other])).toEqual(new Map([[id, 3]]));
    // The third link makes a machine of the reader whose first two are folded; another one comes again.
    await makeHits(db, [
      makeHit(id, 6, hitKinds.editorial, { idLink: 3, at: later(900) }),
      makeHit(id, 1, hitKinds.editorial, { at: later(60_000) }),
      makeHit(other, 6, hitKinds.advertisement),
    ]);
    const expected = new Map([
      [id, 2],
      [other, 1],
    ]);
    expect(await humanClickersOf(db, [id, other])).toEqual(expected);
    await foldActivity(db);
    expect(await humanClickersOf(db, [id, other])).toEqual(expected);
  });

  it('take a click without an open for one open', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await makeHits(db, [
      makeHit(id, 1, hitKinds.editorial),
      makeHit(id, 1, hitKinds.editorial),
      makeHit(id, 2, hitKinds.open),
      makeHit(id, 2, hitKinds.editorial),
      // A scanner fetched the link; a person only saw the pictures through privacy protection.
      makeHit(id, 3, hitKinds.editorial, { class: hitClasses.scanner }),
      makeHit(id, 4, hitKinds.open, { class: hitClasses.mpp }),
      makeHit(id, 4, hitKinds.editorial),
    ]);
    expect(await one(id)).toMatchObject({
      nbOpenings: 4,
      nbOpeners: 4,
      nbHumanOpenings: 3,
      nbHumanOpeners: 3,
      nbClicks: 5,
      nbClickers: 4,
      nbHumanClickers: 3,
    });
  });

  it('count each kind of click, and a forwarded one as viral only', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await makeHits(db, [
      makeHit(id, 1, hitKinds.editorial),
      makeHit(id, 1, hitKinds.advertisement),
      makeHit(id, 1, hitKinds.advertisement),
      makeHit(id, 2, hitKinds.mirror, { idLink: null }),
      makeHit(id, 2, hitKinds.unsubscription, { idLink: null }),
      makeHit(id, 3, hitKinds.editorial, { isViral: true }),
    ]);
    expect(await one(id)).toMatchObject({
      nbClicks: 6,
      nbClickers: 3,
      nbEditoClicks: 1,
      nbEditoClickers: 1,
      nbAdClicks: 2,
      nbAdClickers: 1,
      nbMirrorClicks: 1,
      nbMirrorClickers: 1,
      nbUnsubClicks: 1,
      nbUnsubClickers: 1,
      nbViralClicks: 1,
      nbViralClickers: 1,
    });
  });

  it('count a recipient in one class of bounce, the gravest', async () => {
    const { idJob, idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await makeReceipts(db, idJob, id, { accepted: [1, 2, 3, 4, 5, 6, 7], refused: [8] });
    expect(await makeBounce(db, id, 1, bounceClasses.soft, 'delayed')).toBe(true);
    expect(await makeBounce(db, id, 1, bounceClasses.hard, 'given up')).toBe(true);
    expect(await makeBounce(db, id, 1, bounceClasses.hard, 'given up')).toBe(false);
    await makeBounce(db, id, 2, bounceClasses.soft);
    await makeBounce(db, id, 3, bounceClasses.autoReply, 'first');
    await makeBounce(db, id, 3, bounceClasses.autoReply, 'second');
    await makeBounce(db, id, 4, bounceClasses.dns);
    await makeBounce(db, id, 5, bounceClasses.spam);
    await makeBounce(db, id, 6, bounceClasses.complaint);
    expect(await one(id)).toMatchObject({
      nbAddressSent: 7,
      nbHardBounces: 1,
      nbSoftBounces: 1,
      nbAutoRespondersBounces: 1,
      nbDnsErrorsBounces: 1,
      nbSpamBounces: 1,
      nbTotalBounces: 5,
      nbSpamComplaints: 1,
      nbDelivered: 3,
    });
  });

  it('count as sent of whom a report came, whatever is known of their message, and delivered by it', async () => {
    const { idJob, idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await makeReceipts(db, idJob, id, { accepted: [1, 2], refused: [3, 4, 5] });
    for (const [idSubscriber, of] of [
      bounceClasses.soft,
      bounceClasses.spam,
      bounceClasses.autoReply,
    ].entries())
      await makeBounce(db, id, idSubscriber + 2, of);
    expect(await one(id)).toMatchObject({
      nbAddressSent: 4,
      nbSoftBounces: 1,
      nbSpamBounces: 1,
      nbAutoRespondersBounces: 1,
      nbDelivered: 2,
    });
  });

  it('count as sent who bounced though the answer was lost, once, before and after their range is closed', async () => {
    const { idJob, idsSent } = await makeJob(db, { state: 'Sending' });
    const id = idsSent[0]!;
    await makeReceipts(db, idJob, id, { accepted: [], uncertain: [1, 2, 3, 4, 5] });
    expect(await one(id)).toMatchObject({ nbAddressSent: 0, nbDelivered: 0 });
    await makeBounce(db, id, 1, bounceClasses.hard);
    expect(await one(id)).toMatchObject({ nbAddressSent: 1, nbHardBounces: 1, nbDelivered: 0 });
    await makeBounce(db, id, 1, bounceClasses.soft);
    await makeBounce(db, id, 2, bounceClasses.complaint);
    await makeBounce(db, id, 3, bounceClasses.autoReply);
    expect(await one(id)).toMatchObject({ nbAddressSent: 3, nbTotalBounces: 2, nbDelivered: 2 });
    // The report is there before the relay's answer, and again when the answer is.
    await db.run(sql`
      insert into ${db.t.recipient_range} (id_job, number, id_sent, subscribers) values (${idJob}, 2, ${id}, '{6}')`);
    const log = (intents: string, outcomes: string, states: string) =>
      db.run(sql`
        insert into ${db.t.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
        values (${idJob}, 2, 1, ${at}, ${intents}::int[], ${outcomes}::int[], ${states}::smallint[], '{}')`);
    await log('{6}', '{}', '{}');
    await makeBounce(db, id, 6, bounceClasses.hard);
    expect(await one(id)).toMatchObject({ nbAddressSent: 4, nbHardBounces: 2, nbDelivered: 2 });
    await log('{}', '{6}', '{1}');
    expect(await one(id)).toMatchObject({ nbAddressSent: 4, nbHardBounces: 2, nbDelivered: 2 });
  });

  it('are never negative, nor bounced more than sent, whatever was answered and reported', async () => {
    const { accepted, refused, uncertain, expired, cancelled } = receiptStates;
    const anyReports = fc.array(fc.constantFrom(...Object.values(bounceClasses)), { maxLength: 2 });
    const anyRecipient = fc.record({
      isDone: fc.boolean(),
      state: fc.constantFrom(accepted, refused, uncertain, expired, cancelled),
      isRefusal: fc.boolean(),
      before: anyReports,
      after: anyReports,
    });
    const rule = fc.asyncProperty(fc.array(anyRecipient, { maxLength: 12 }), async (recipients) => {
      const { idJob, idsSent } = await makeJob(db, { state: 'Sending' });
      const id = idsSent[0]!;
      const all = recipients.map((each, index) => ({ ...each, idSubscriber: index + 1 }));
      const report = async (when: 'before' | 'after') => {
        for (const { idSubscriber, [when]: reports } of all)
          for (const [n, of] of reports.entries()) await makeBounce(db, id, idSubscriber, of, `${when} ${n}`);
      };
      await report('before');
      await makeOutcomes(idJob, id, all);
      await report('after');
      for (const { idSubscriber, state, isRefusal } of all)
        if (state === refused && isRefusal) await makeBounce(db, id, idSubscriber, bounceClasses.hard);
      const counted = await one(id);
      for (const [name, value] of Object.entries(counted)) expect([name, value >= 0]).toEqual([name, true]);
      const { nbHardBounces, nbSoftBounces, nbDnsErrorsBounces, nbSpamBounces } = counted;
      const returned = nbHardBounces + nbSoftBounces + nbDnsErrorsBounces + nbSpamBounces;
      expect(returned).toBeLessThanOrEqual(counted.nbAddressSent);
      expect(counted.nbTotalBounces).toBeLessThanOrEqual(counted.nbAddressSent);
      expect(counted.nbSpamComplaints).toBeLessThanOrEqual(counted.nbAddressSent);
      const isSent = ({ state, isRefusal, before, after }: (typeof all)[number]) =>
        state === accepted || before.length + after.length > 0 || (state === refused && isRefusal);
      expect(counted.nbAddressSent).toBe(all.filter(isSent).length);
    });
    await fc.assert(rule, { numRuns: 40 });
  });

  it('count an unsubscription once per reader and sent', async () => {
    const { idsSent } = await makeJob(db, { sents: 2 });
    const [first, second] = idsSent as [number, number];
    expect(await recordUnsubscription(db, { idSent: first, idSubscriber: 1, at, origin: 'page' })).toBe(true);
    expect(await recordUnsubscription(db, { idSent: first, idSubscriber: 1, at, origin: 'api' })).toBe(false);
    await recordUnsubscription(db, { idSent: second, idSubscriber: 1, at, origin: 'oneClick' });
    const counters = await countersOfSents(db, idsSent);
    expect([...counters.values()].map((each) => each.nbUnsubs)).toEqual([1, 1]);
  });

  it('know what was accepted while a range is still being sent, and after', async () => {
    const { idJob, idsSent } = await makeJob(db, { state: 'Sending' });
    const id = idsSent[0]!;
    await makeReceipts(db, idJob, id, { accepted: [1, 2] });
    await db.run(sql`
      insert into ${db.t.recipient_range} (id_job, number, id_sent, subscribers)
      values (${idJob}, 2, ${id}, ${[3, 4, 5]}::int[])`);
    await db.run(sql`
      insert into ${db.t.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
      values (${idJob}, 2, 1, ${at}, '{3,4}', '{}', '{}', '{}'),
             (${idJob}, 2, 1, ${at}, '{5}', '{3,4}', '{1,10}', '{250,451}'),
             (${idJob}, 2, 1, ${at}, '{4}', '{5}', '{2}', '{550}')`);
    expect((await one(id)).nbAddressSent).toBe(3);
    await db.run(sql`
      update ${db.t.recipient_range} set is_done = true, nb_accepted = 2 where id_job = ${idJob} and number = 2`);
    expect((await one(id)).nbAddressSent).toBe(4);
  });

  it('agree with a count by hand over any hits, and their sums with each other', async () => {
    const anyHit = fc.record({
      sent: fc.nat(2),
      idSubscriber: fc.integer({ min: 1, max: 5 }),
      kind: fc.constantFrom(...Object.values(hitKinds)),
      class: fc.constantFrom(...Object.values(hitClasses)),
      isViral: fc.boolean(),
      isMobile: fc.boolean(),
    });
    const rule = fc.asyncProperty(
      fc.array(anyHit, { maxLength: 40 }),
      fc.boolean(),
      async (given, isFolded) => {
        const { idsSent } = await makeJob(db, { sents: 3 });
        const hits = given.map((g) => makeHit(idsSent[g.sent]!, g.idSubscriber, g.kind, g));
        await makeHits(db, hits);
        if (isFolded) await foldActivity(db);
        const counters = await countersOfSents(db, idsSent);
        const mobile = await countersOfSents(db, idsSent, 'mobile');
        const desktop = await countersOfSents(db, idsSent, 'desktop');
        for (const id of idsSent) {
          const counted = counters.get(id)!;
          const ofSent = hits.filter((each) => each.idSent === id);
          expect(mobile.get(id)).toMatchObject(byHand(ofSent.filter((each) => each.isMobile)));
          expect(desktop.get(id)).toMatchObject(byHand(ofSent.filter((each) => !each.isMobile)));
          expect(counted).toMatchObject(byHand(ofSent));
          const { nbEditoClicks, nbAdClicks, nbMirrorClicks, nbUnsubClicks, nbViralClicks } = counted;
          const kinds = [nbEditoClicks, nbAdClicks, nbMirrorClicks, nbUnsubClicks, nbViralClicks];
          expect(kinds.reduce((a, b) => a + b, 0)).toBe(counted.nbClicks);
          expect(counted.nbHumanOpeners).toBeLessThanOrEqual(counted.nbOpeners);
          expect(counted.nbClickers).toBeLessThanOrEqual(counted.nbOpeners);
          expect(counted.nbOpeners).toBeLessThanOrEqual(counted.nbOpenings);
        }
        expect(sumCounters(counters.values()).nbClicks).toBe(
          hits.filter((each) => each.kind !== hitKinds.open).length,
        );
      },
    );
    await fc.assert(rule, { numRuns: 40 });
  });
});

/** Recipients of two ranges, one that is done and one that is not, as receipts and the log have them. */
async function makeOutcomes(
  idJob: number,
  idSent: number,
  all: readonly { readonly idSubscriber: number; readonly isDone: boolean; readonly state: ReceiptState }[],
): Promise<void> {
  const done = all.filter(({ isDone }) => isDone);
  const open = all.filter(({ isDone }) => !isDone);
  const idsOf = (of: typeof all) => of.map(({ idSubscriber }) => idSubscriber);
  const nbAccepted = done.filter(({ state }) => state === receiptStates.accepted).length;
  await db.run(sql`
    insert into ${db.t.recipient_range} (id_job, number, id_sent, subscribers, is_done, nb_accepted)
    values (${idJob}, 1, ${idSent}, ${idsOf(done)}::int[], true, ${nbAccepted}),
      (${idJob}, 2, ${idSent}, ${idsOf(open)}::int[], false, 0)`);
  if (done.length > 0)
    await recordReceipts(db, {
      idSent,
      idSubscribers: idsOf(done),
      states: done.map(({ state }) => state),
      codes: done.map(() => 0),
      idProviders: done.map(() => 0),
      times: done.map(() => at),
    });
  // The log has no outcome for an uncertain recipient, and a cancelled one was deferred before.
  const deferred = 10;
  const answered = open.filter(({ state }) => state !== receiptStates.uncertain);
  const states = answered.map(({ state }) => (state === receiptStates.cancelled ? deferred : state));
  await db.run(sql`
    insert into ${db.t.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
    values (${idJob}, 2, 1, ${at}, ${idsOf(open)}::int[], '{}', '{}', '{}'),
      (${idJob}, 2, 1, ${at}, '{}', ${idsOf(answered)}::int[], ${states}::smallint[], '{}')`);
}

async function one(idSent: number): Promise<Counters> {
  return (await countersOfSents(db, [idSent])).get(idSent)!;
}

/** The definitions once more, written the long way. */
function byHand(hits: readonly Hit[]): Partial<Counters> {
  const readers = [...new Set(hits.map((each) => each.idSubscriber))];
  const isMachine = (of: HitClass) =>
    ([hitClasses.mpp, hitClasses.scanner, hitClasses.burst] as HitClass[]).includes(of);
  const openings = (of: readonly Hit[]) =>
    readers.map((reader) => {
      const his = of.filter((each) => each.idSubscriber === reader);
      const opens = his.filter((each) => each.kind === hitKinds.open).length;
      return opens === 0 && his.length > 0 ? 1 : opens;
    });
  const total = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const all = openings(hits);
  const human = openings(hits.filter((each) => !isMachine(each.class)));
  const clicks = hits.filter((each) => each.kind !== hitKinds.open);
  const edito = clicks.filter((each) => each.kind === hitKinds.editorial && !each.isViral);
  return {
    nbOpenings: total(all),
    nbOpeners: all.filter(Boolean).length,
    nbHumanOpenings: total(human),
    nbHumanOpeners: human.filter(Boolean).length,
    nbClicks: clicks.length,
    nbClickers: new Set(clicks.map((each) => each.idSubscriber)).size,
    nbHumanClickers: new Set(clicks.filter((each) => !isMachine(each.class)).map((each) => each.idSubscriber))
      .size,
    nbEditoClicks: edito.length,
    nbEditoClickers: new Set(edito.map((each) => each.idSubscriber)).size,
  };
}
