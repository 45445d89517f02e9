import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProvider } from '../../accounts/provider-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { foldActivity, hasUnfolded } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { raiseReceipts } from '../../activity/receipt-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';

interface Page {
  readonly people: readonly { idSent: number; idSubscriber: number; email: string | null }[];
  readonly next: { readonly sending: number; readonly after: number } | null;
}

describe('listRecentProviderPeople', () => {
  let t: TestApp;
  let ada: number;
  beforeAll(async () => {
    t = await testApp();
    t.clock.set(new Date('2026-11-20T12:00:00Z'));
    const limits = { maxConnections: 0, messagesPerHour: 0 };
    const provider = { name: 'Mail of Ada', mxSuffixes: [], domains: ['ada.example'], ...limits };
    ada = (await insertProvider(t.app.control, provider)).id;
    await makeSubscribers(t.db, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
  afterAll(() => t.close());

  const path = '/statistics/recent-providers';
  const get = (query: object) =>
    t.call('GET', `${path}/people`, { query: query as Record<string, string | number>, as: 'reader' });
  const providerOf = (id: number) => (id % 2 === 1 ? ada : 0);
  const today = new Date('2026-11-20T09:00:00Z');
  /** All pages of a figure, as [sending, person]. */
  const all = async (
    nbDays: number,
    figure: string,
    idsFai: readonly number[],
    limit = 100,
    search?: string,
  ) => {
    const found: [number, number][] = [];
    let place = {};
    for (;;) {
      const reply = await get({ nbDays, figure, idsFai, limit, ...(search && { search }), ...place });
      expect([reply.status, reply.typeName]).toEqual([200, 'RecentProviderPeople']);
      const { people, next } = reply.data as Page;
      expect(people.length).toBeLessThanOrEqual(limit);
      found.push(...people.map(({ idSent, idSubscriber }): [number, number] => [idSent, idSubscriber]));
      if (!next) return found;
      place = next;
    }
  };
  /** Aggregates, and compares each list of each provider with the figure. */
  const compare = async (nbDays: number) => {
    while (await hasUnfolded(t.db)) await foldActivity(t.db);
    const { data } = await t.call('GET', path, { query: { nbDays }, as: 'reader' });
    for (const one of data as Record<string, number>[])
      for (const figure of ['nbSent', 'nbNotDelivered', 'nbHumanOpeners'])
        expect([one.idFai, figure, (await all(nbDays, figure, [one.idFai!], 2)).length]).toEqual([
          one.idFai,
          figure,
          one[figure],
        ]);
  };

  it('200 as many as the figures count, of one provider or several, over any pages', async () => {
    expect((await get({ nbDays: 7, figure: 'nbSent', idsFai: [0] })).data).toEqual({
      people: [],
      next: null,
    });
    const first = await makeJob(t.db);
    const idFirst = first.idsSent[0]!;
    const results = { accepted: [1, 2, 3, 4, 9], refused: [5], expired: [6], uncertain: [7, 8], providerOf };
    await makeReceipts(t.db, first.idJob, idFirst, { ...results, at: today });
    // A report waits until it is aggregated; others are no failures, and one counts for a person.
    for (const [id, kind] of [
      [5, bounceClasses.hard],
      [3, bounceClasses.soft],
      [3, bounceClasses.hard],
      [4, bounceClasses.autoReply],
      [8, bounceClasses.dns],
      [1, bounceClasses.complaint],
    ] as const)
      await makeBounce(t.db, idFirst, id, kind, `${id} ${kind}`);
    await makeHits(t.db, [
      makeHit(idFirst, 1, hitKinds.open),
      makeHit(idFirst, 2, hitKinds.editorial),
      makeHit(idFirst, 3, hitKinds.open, { class: hitClasses.mpp }),
    ]);
    // More sendings of other people than one page reads.
    const others = await makeJob(t.db, { sents: 25 });
    for (const idSent of others.idsSent)
      await makeReceipts(t.db, others.idJob, idSent, { accepted: [2], providerOf, at: today });
    const test = await makeJob(t.db, { isTest: true });
    await makeReceipts(t.db, test.idJob, test.idsSent[0]!, { accepted: [1], providerOf, at: today });
    const last = await makeJob(t.db);
    const idLast = last.idsSent[0]!;
    await makeReceipts(t.db, last.idJob, idLast, { accepted: [1, 3], refused: [9], providerOf, at: today });
    const early = new Date('2026-11-10T09:00:00Z');
    await makeReceipts(t.db, last.idJob, idLast, { accepted: [7], providerOf, at: early });
    expect(await all(7, 'nbSent', [ada])).toEqual([]);
    await compare(11);
    await compare(10);
    const ofLast = [1, 3, 9].map((id) => [idLast, id]);
    const sent = [...ofLast, ...[1, 3, 5, 7, 9].map((id) => [idFirst, id])];
    for (const limit of [1, 2, 3, 1_000]) expect(await all(10, 'nbSent', [ada], limit)).toEqual(sent);
    expect(await all(11, 'nbSent', [ada])).toContainEqual([idLast, 7]);
    expect(await all(10, 'nbHumanOpeners', [0, ada])).toEqual([
      [idFirst, 1],
      [idFirst, 2],
    ]);
    const failed = [[idLast, 9], ...[3, 5, 6, 8].map((id) => [idFirst, id])];
    expect(await all(10, 'nbNotDelivered', [0, ada])).toEqual(failed);
    const { people } = (
      await get({ nbDays: 10, figure: 'nbNotDelivered', idsFai: [0], sending: idFirst, limit: 1 })
    ).data as Page;
    expect(people).toEqual([{ idSent: idFirst, idSubscriber: 6, email: expect.stringContaining('@') }]);
    const name = people[0]!.email!.split('@')[0]!;
    expect(await all(10, 'nbNotDelivered', [0, ada], 1, name)).toEqual([[idFirst, 6]]);
    // A second message reaches one of them.
    await t.db.transaction((tx) => raiseReceipts(tx, idFirst, [6]));
    await compare(10);
  });

  it('400 for an unknown figure, no provider, or an id without its sending', async () => {
    const query = { nbDays: 7, figure: 'nbSent', idsFai: [0] };
    expect((await get({ ...query, figure: 'nbDelivered' })).status).toBe(400);
    expect((await get({ nbDays: 7, figure: 'nbSent' })).status).toBe(400);
    expect(await get({ ...query, after: 3 })).toMatchObject({
      status: 400,
      error: 'after: give the sending that it belongs to',
    });
  });
});
