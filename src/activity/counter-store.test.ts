import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import { type BounceClass, bounceClasses } from './bounce.ts';
import { recordBounce } from './bounce-store.ts';
import { countersOfSents } from './counter-store.ts';
import { type Counters, noCounters, sumCounters } from './counters.ts';
import { type Hit, type HitKind, hitKinds } from './hit.ts';
import { type HitClass, hitClasses } from './hit-class.ts';
import { storeHits } from './hit-store.ts';
import { recordUnsubscription } from './unsubscription-store.ts';

let site: TestSite;
let db: SiteDb;
beforeAll(async () => {
  site = await testSite();
  db = site.db;
});
afterAll(() => site.close());

const at = new Date('2026-11-20T10:00:00Z');
let batches = 0;

async function store(hits: readonly Hit[]): Promise<void> {
  await storeHits(db, { source: '00000000-0000-4000-8000-000000000001', number: ++batches, hits });
}

function hit(idSent: number, idSubscriber: number, kind: HitKind, of: Partial<Hit> = {}): Hit {
  const idLink = kind === hitKinds.open ? null : 7;
  return {
    at,
    kind,
    class: hitClasses.human,
    rulesVersion: 1,
    isMobile: false,
    idSent,
    idSubscriber,
    idLink,
    isViral: false,
    userAgent: 'Mail',
    address: '192.0.2.1',
    ...of,
  };
}

async function bounce(idSent: number, idSubscriber: number, of: BounceClass, text = ''): Promise<boolean> {
  const digest = createHash('sha256').update(`${idSent} ${idSubscriber} ${of} ${text}`).digest();
  return recordBounce(db, { idSent, idSubscriber, class: of, status: '', diagnostic: text, at, digest });
}

describe('counters', () => {
  it('are zero for a sent that nothing happened to, and for none', async () => {
    expect(await countersOfSents(db, [9_999])).toEqual(new Map([[9_999, noCounters]]));
    expect(await countersOfSents(db, [])).toEqual(new Map());
  });

  it('count events and distinct readers, with and without machines', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await store([
      hit(id, 1, hitKinds.open),
      hit(id, 1, hitKinds.open, { class: hitClasses.mpp }),
      hit(id, 2, hitKinds.open, { class: hitClasses.mpp }),
      hit(id, 3, hitKinds.open, { class: hitClasses.imageProxy }),
      hit(id, 4, hitKinds.open, { class: hitClasses.scanner }),
    ]);
    expect(await one(id)).toMatchObject({
      nbOpenings: 5,
      nbOpeners: 4,
      nbHumanOpenings: 2,
      nbHumanOpeners: 2,
      nbClicks: 0,
    });
  });

  it('take a click without an open for one open', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await store([
      hit(id, 1, hitKinds.editorial),
      hit(id, 1, hitKinds.editorial),
      hit(id, 2, hitKinds.open),
      hit(id, 2, hitKinds.editorial),
      // A scanner fetched the link; a person only saw the pictures through privacy protection.
      hit(id, 3, hitKinds.editorial, { class: hitClasses.scanner }),
      hit(id, 4, hitKinds.open, { class: hitClasses.mpp }),
      hit(id, 4, hitKinds.editorial),
    ]);
    expect(await one(id)).toMatchObject({
      nbOpenings: 4,
      nbOpeners: 4,
      nbHumanOpenings: 3,
      nbHumanOpeners: 3,
      nbClicks: 5,
      nbClickers: 4,
    });
  });

  it('count each kind of click, and a forwarded one as viral only', async () => {
    const { idsSent } = await makeJob(db);
    const id = idsSent[0]!;
    await store([
      hit(id, 1, hitKinds.editorial),
      hit(id, 1, hitKinds.advertisement),
      hit(id, 1, hitKinds.advertisement),
      hit(id, 2, hitKinds.mirror, { idLink: null }),
      hit(id, 2, hitKinds.unsubscription, { idLink: null }),
      hit(id, 3, hitKinds.editorial, { isViral: true }),
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
    expect(await bounce(id, 1, bounceClasses.soft, 'delayed')).toBe(true);
    expect(await bounce(id, 1, bounceClasses.hard, 'given up')).toBe(true);
    expect(await bounce(id, 1, bounceClasses.hard, 'given up')).toBe(false);
    await bounce(id, 2, bounceClasses.soft);
    await bounce(id, 3, bounceClasses.autoReply, 'first');
    await bounce(id, 3, bounceClasses.autoReply, 'second');
    await bounce(id, 4, bounceClasses.dns);
    await bounce(id, 5, bounceClasses.spam);
    await bounce(id, 6, bounceClasses.complaint);
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

  it('agree with a count by hand over any hits, and their sums with each other (failures F24)', async () => {
    const anyHit = fc.record({
      sent: fc.nat(2),
      idSubscriber: fc.integer({ min: 1, max: 5 }),
      kind: fc.constantFrom(...Object.values(hitKinds)),
      class: fc.constantFrom(...Object.values(hitClasses)),
      isViral: fc.boolean(),
    });
    const rule = fc.asyncProperty(fc.array(anyHit, { maxLength: 40 }), async (given) => {
      const { idsSent } = await makeJob(db, { sents: 3 });
      const hits = given.map((g) => hit(idsSent[g.sent]!, g.idSubscriber, g.kind, g));
      await store(hits);
      const counters = await countersOfSents(db, idsSent);
      for (const id of idsSent) {
        const counted = counters.get(id)!;
        expect(counted).toMatchObject(byHand(hits.filter((each) => each.idSent === id)));
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
    });
    await fc.assert(rule, { numRuns: 40 });
  });
});

async function one(idSent: number): Promise<Counters> {
  return (await countersOfSents(db, [idSent])).get(idSent)!;
}

/** The definitions once more, written the long way. */
function byHand(hits: readonly Hit[]): Partial<Counters> {
  const readers = [...new Set(hits.map((each) => each.idSubscriber))];
  const isMachine = (of: HitClass) => of === hitClasses.mpp || of === hitClasses.scanner;
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
    nbEditoClicks: edito.length,
    nbEditoClickers: new Set(edito.map((each) => each.idSubscriber)).size,
  };
}
