import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import type { Person } from '../../subscribers/person.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeBounce } from '../../testing/make-activity.ts';
import { makeClicks } from '../../testing/make-clicks.ts';

describe('listStatisticsPeople', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query: Record<string, number | string>) =>
    t.call('GET', '/statistics/people', { query, as: 'reader' });

  it('200 with as many recipients as each figure counts, and who they are', async () => {
    const { idJob, idSent, idLink, idOther, people } = await makeClicks(t);
    const [a, b, c, d] = people;
    await makeBounce(t.db, idSent, c, bounceClasses.hard);
    await makeBounce(t.db, idSent, c, bounceClasses.complaint);
    const ids = async (figure: string, more = {}) =>
      ((await list({ idSent, figure, ...more })).data as Person[]).map(({ idSubscriber }) => idSubscriber);
    expect(await ids('nbOpeners')).toEqual([a, b, c]);
    expect(await ids('nbHumanOpeners')).toEqual([a]);
    expect(await ids('nbClickers')).toEqual([a, b]);
    expect(await ids('nbHumanClickers')).toEqual([a]);
    expect(await ids('nbClickers', { idLink })).toEqual([a, b]);
    expect(await ids('nbClickers', { idLink: idOther })).toEqual([]);
    expect(await ids('nbHardBounces')).toEqual([c]);
    expect(await ids('nbSpamComplaints')).toEqual([c]);
    for (const none of ['nbUnsubs', 'nbSoftBounces', 'nbSpamBounces']) expect(await ids(none)).toEqual([]);
    expect(await ids('nbRefused')).toEqual([d]);
    expect(await ids('nbDelivered')).toEqual([a, b]);
    expect(await ids('nbDelivered', { after: a })).toEqual([b]);
    const [sum] = (await t.call('GET', '/statistics/sending', { query: { idSent } })).data as [object];
    expect(sum).toMatchObject({ nbOpeners: 3, nbClickers: 2, nbHardBounces: 1, nbSpamComplaints: 1 });
    const providers = await t.call('GET', '/statistics/providers', { query: { idJob, idSent } });
    expect(providers.data).toMatchObject([{ nbDelivered: 2 }]);

    const first = (await list({ idSent, figure: 'nbOpeners', limit: 2 })).data as Person[];
    expect(first.map(({ email }) => email?.slice(0, 2))).toEqual(['c1', 'c2']);
    expect(await ids('nbOpeners', { limit: 2, after: first[1]!.idSubscriber })).toEqual([c]);
  });

  it('400 for a link beside other figures, 404 for an unknown sending', async () => {
    expect((await list({ idSent: 1, figure: 'nbUnsubs', idLink: 1 })).error).toBe(
      'idLink: only nbClickers and nbHumanClickers have one; give 0',
    );
    expect((await list({ idSent: 1, figure: 'nbReaders' })).status).toBe(400);
    expect(await list({ idSent: 99_999, figure: 'nbUnsubs' })).toMatchObject({ status: 404 });
    const { idSent } = await makeClicks(t);
    expect(await list({ idSent, figure: 'nbClickers', idLink: 99_999 })).toMatchObject({
      status: 404,
      error: 'idLink: Tracked link not found',
    });
  });
});
