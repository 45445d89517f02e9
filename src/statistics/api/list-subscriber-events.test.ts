import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { recordUnsubscription } from '../../activity/unsubscription-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { type MadeJob, makeJob, makeReceipts } from '../../testing/make-sent.ts';

interface Page {
  readonly events: readonly { readonly at: string; readonly type: string }[];
  readonly next: string | null;
}

describe('listSubscriberEvents', () => {
  let t: TestApp;
  let news: MadeJob;
  let idLink: number;
  beforeAll(async () => {
    t = await testApp();
    const { db } = t;
    await makeSubscribers(db, [1, 2, 3, 4]);
    news = await makeJob(db, { campaignName: 'Spring' });
    const trial = await makeJob(db, { campaignName: 'Trial', isTest: true });
    const sentAt = new Date('2026-11-19T09:00:01.234Z');
    const [idSent] = news.idsSent as [number];
    const link = await db.one<{ id: number }>(sql`
      insert into ${db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
      values (${news.idCampaign}, 'https://shop.example/', 'https://shop.example/', 'campaign', '{}', now())
      returning id`);
    idLink = link.id;
    await makeReceipts(db, news.idJob, idSent, { accepted: [1, 2], refused: [3], at: sentAt });
    await makeReceipts(db, trial.idJob, trial.idsSent[0]!, { accepted: [1], at: sentAt });
    await db.run(sql`
      insert into ${db.t.delivery_failure} (id_sent, id_subscriber, status, reply)
      values (${idSent}, 3, '5.7.1', '550 Not wanted')`);
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 9, minute));
    await makeHits(db, [
      makeHit(idSent, 1, hitKinds.open, { at: at(1), class: hitClasses.scanner }),
      makeHit(idSent, 1, hitKinds.open, { at: at(2) }),
      makeHit(idSent, 1, hitKinds.editorial, { at: at(3), idLink }),
      makeHit(idSent, 1, hitKinds.unsubscription, { at: at(4), idLink: null }),
      makeHit(idSent, 2, hitKinds.open, { at: at(1) }),
    ]);
    await recordUnsubscription(db, { idSent, idSubscriber: 1, at: at(5), origin: 'page' });
    await makeBounce(db, idSent, 2, bounceClasses.soft, 'Mailbox full');
    await makeBounce(db, idSent, 2, bounceClasses.autoReply, 'Away');
    await makeBounce(db, idSent, 2, bounceClasses.complaint, 'Spam');
  });
  afterAll(() => t.close());

  const ask = (id: number, query: Record<string, string | number> = {}) =>
    t.call('GET', `/subscribers/${id}/events`, { query, as: 'reader' });
  const list = async (id: number, query: Record<string, string | number> = {}) => {
    const { status, data } = await ask(id, query);
    expect(status).toBe(200);
    return data as Page;
  };

  it('200 lists messages, opens, clicks and unsubscriptions, newest first', async () => {
    const { events, next } = await list(1);
    const common = {
      idSent: news.idsSent[0],
      idCampaign: news.idCampaign,
      campaignName: 'Spring',
      isTest: false,
    };
    expect(events.slice(0, 5)).toMatchObject([
      { ...common, type: 'Unsubscription', at: '2026-11-21T09:05:00.000Z', origin: 'page' },
      { ...common, type: 'UnsubscribePage', isMachine: false },
      { ...common, type: 'Click', url: 'https://shop.example/', isMachine: false },
      { ...common, type: 'Open', isMachine: false, url: null },
      { ...common, type: 'Open', at: '2026-11-21T09:01:00.000Z', isMachine: true },
    ]);
    const messages = events.slice(5);
    expect(messages).toHaveLength(2);
    expect(messages).toContainEqual(
      expect.objectContaining({ ...common, type: 'Message', state: 'accepted' }),
    );
    expect(messages).toContainEqual(expect.objectContaining({ campaignName: 'Trial', isTest: true }));
    expect(next).toBeNull();
  });

  it('200 tells the replies of relays, and bounces by their class', async () => {
    expect((await list(3)).events).toMatchObject([
      { type: 'Message', state: 'refused', reply: '5.7.1 550 Not wanted', bounce: null },
    ]);
    const { events } = await list(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'Bounce', bounce: 'soft', reply: 'Mailbox full', isMachine: null }),
    );
    expect(events.map(({ type }) => type).sort()).toEqual([
      'AutoReply',
      'Bounce',
      'Complaint',
      'Message',
      'Open',
    ]);
  });

  it('200 by pages, each event once and in the same order', async () => {
    const whole = await list(1);
    const paged: unknown[] = [];
    let before: string | null = '';
    while (before !== null) {
      const page: Page = await list(1, { limit: 2, ...(before !== '' && { before }) });
      expect(page.events.length).toBeLessThanOrEqual(2);
      paged.push(...page.events);
      before = page.next;
    }
    expect(paged).toEqual(whole.events);
  });

  it('200 with nothing for a subscriber without a message, and with the history of an archived one', async () => {
    expect(await list(4)).toEqual({ events: [], next: null });
    await t.call('DELETE', '/subscribers', { body: [3] });
    expect((await list(3)).events).toHaveLength(1);
  });

  const noTimes = [
    '2026-99-21T09:05:00',
    '2026-02-30T09:05:00',
    '2026-11-21T24:00:00',
    '0000-01-01T00:00:00',
  ];
  it.each(['x', '2026-11-21T09:05:00', ...noTimes.map((time) => `${time}_1_1_1`)])(
    '400 for the cursor %s',
    async (before) => {
      expect(await ask(1, { before })).toMatchObject({
        status: 400,
        error: expect.stringContaining('before'),
      });
    },
  );

  it('404 for an unknown subscriber', async () => {
    expect(await ask(99)).toMatchObject({ status: 404, error: 'Subscriber not found' });
  });
});
