import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeBounce } from '../../testing/make-activity.ts';
import { makeClicks } from '../../testing/make-clicks.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';

interface Page {
  readonly people: readonly { idSent: number; idSubscriber: number; email: string | null }[];
  readonly next: { readonly sending: number; readonly after: number } | null;
}

describe('listRecentPeople', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    t.clock.set(new Date('2026-11-20T12:00:00Z'));
  });
  afterAll(() => t.close());

  const get = (query: Record<string, number | string>) =>
    t.call('GET', '/statistics/recent-people', { query, as: 'reader' });
  const read = async (query: Record<string, number | string>) => (await get(query)).data as Page;
  /** All pages of a figure, as [sending, person]. */
  const all = async (nbDays: number, figure: string, limit: number, more = {}) => {
    const found: [number, number][] = [];
    let page = await read({ nbDays, figure, limit, ...more });
    for (;;) {
      expect(page.people.length).toBeLessThanOrEqual(limit);
      found.push(...page.people.map(({ idSent, idSubscriber }): [number, number] => [idSent, idSubscriber]));
      if (!page.next) return found;
      page = await read({ nbDays, figure, limit, ...more, ...page.next });
    }
  };

  it('200 with the people of all sendings of the period, the newest first, over any pages', async () => {
    expect((await get({ nbDays: 7, figure: 'nbDelivered' })).data).toEqual({ people: [], next: null });
    const first = await makeClicks(t);
    const [a, b, c, d] = first.people;
    const test = await makeJob(t.db, { isTest: true });
    await makeReceipts(t.db, test.idJob, test.idsSent[0]!, { accepted: [a] });
    const old = await makeJob(t.db, { startedAt: new Date('2026-10-01T09:00:00Z') });
    await makeReceipts(t.db, old.idJob, old.idsSent[0]!, { accepted: [b] });
    // More sendings without such a person than one page reads.
    await makeJob(t.db, { sents: 45 });
    const second = await makeJob(t.db);
    const idSecond = second.idsSent[0]!;
    await makeReceipts(t.db, second.idJob, idSecond, { accepted: [a, d], uncertain: [b, c] });
    await makeBounce(t.db, idSecond, d, bounceClasses.soft);
    // A report of any kind shows that the message was accepted.
    await makeBounce(t.db, idSecond, b, bounceClasses.autoReply);
    await makeBounce(t.db, first.idSent, c, bounceClasses.complaint);
    const delivered = [[idSecond, a], [idSecond, b], ...[a, b, c].map((id) => [first.idSent, id])];
    for (const limit of [1, 2, 3, 1_000]) expect(await all(7, 'nbDelivered', limit)).toEqual(delivered);
    expect(await all(7, 'nbDelivered', 100, { search: 'C1' })).toEqual([
      [idSecond, a],
      [first.idSent, a],
    ]);
    expect(await all(60, 'nbDelivered', 100)).toEqual([[old.idsSent[0]!, b], ...delivered].sort(newestFirst));
    expect(await all(7, 'nbHumanOpeners', 100)).toEqual([[first.idSent, a]]);
    expect(await all(7, 'nbClickers', 1)).toEqual([
      [first.idSent, a],
      [first.idSent, b],
    ]);
    const { people } = await read({ nbDays: 7, figure: 'nbClickers', sending: first.idSent, after: a });
    expect(people).toEqual([{ idSent: first.idSent, idSubscriber: b, email: expect.stringMatching(/^c2-/) }]);
  });

  it('400 for an unknown figure, a period of no days, or an id without its sending', async () => {
    expect((await get({ nbDays: 7, figure: 'nbReaders' })).status).toBe(400);
    // Replies are those of one sending.
    expect((await get({ nbDays: 7, figure: 'nbWithReply' })).status).toBe(400);
    expect((await get({ nbDays: 0, figure: 'nbDelivered' })).status).toBe(400);
    expect(await get({ nbDays: 7, figure: 'nbDelivered', after: 3 })).toMatchObject({
      status: 400,
      error: 'after: give the sending that it belongs to',
    });
  });
});

const newestFirst = (one: number[], other: number[]) => other[0]! - one[0]! || one[1]! - other[1]!;
