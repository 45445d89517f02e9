import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Person } from '../../subscribers/person.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, type FailingTargets, failingTargets } from '../../testing/failing-targets.ts';
import { campaignsOperations as operations } from '../operations.ts';
import type { SegmentCount } from '../segment.ts';

describe('listSegmentPeople', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    await makeSubscribers(t.db, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // 9 is unsubscribed, 10 hard-bounced.
    await t.db.run(sql`
      update ${t.db.t.subscriber}
      set fld7 = case when fld0 = 9 then 1 else 0 end, fld44 = case fld0 when 10 then 2 else 0 end,
        fld1 = 'p' || fld0 || '@shop.example'`);
    id = await makeCampaign(t.db);
    const everybody = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db, { ids: [1, 2, 3, 4] }), percent: 50 });
    await makeSegment(t.db, id, { idTarget: everybody, fixedValues: 4, percent: 100, isRandom: true });
    await makeSegment(t.db, id, { idTarget: everybody });
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db, { ids: [1] }), isExcluded: true });
  });
  afterAll(() => t.close());

  const people = (position: number, query = '') =>
    t.call('GET', `/campaigns/${id}/segments/${position}/people${query}`, { as: 'reader' });
  const idsOf = async (position: number, query = '') =>
    ((await people(position, query)).data as Person[]).map(({ idSubscriber }) => idSubscriber);

  it('200 with those whom the segment takes, by id, as many as its count says', async () => {
    const reply = await people(1);
    expect(reply).toMatchObject({ status: 200, typeName: 'Person[]' });
    expect(reply.data).toEqual([
      { idSubscriber: 2, email: 'p2@shop.example' },
      { idSubscriber: 3, email: 'p3@shop.example' },
    ]);
    const lists = await Promise.all([1, 2, 3, 4].map((position) => idsOf(position)));
    expect(lists).toEqual([[2, 3], [4, 5, 6, 7], [8], [1]]);
    const counts = (await t.call('GET', `/campaigns/${id}/segments/count`)).data as SegmentCount[];
    expect(counts.map(({ segmentCount }) => segmentCount)).toEqual(lists.map(({ length }) => length));
  });

  it('200 a page at a time', async () => {
    expect(await idsOf(2, '?limit=3')).toEqual([4, 5, 6]);
    expect(await idsOf(2, '?limit=3&after=6')).toEqual([7]);
    expect(await idsOf(2, '?after=7')).toEqual([]);
    expect(await idsOf(2, '?search=P7@')).toEqual([7]);
    expect(await idsOf(2, '?search=shop&limit=2&after=5')).toEqual([6, 7]);
    for (const query of ['?search=', '?limit=0', '?limit=1001', '?after=-1'])
      expect(await people(2, query)).toMatchObject({ status: 400, data: null });
  });

  it('404 for an unknown campaign or position', async () => {
    expect((await people(5)).error).toBe('Segment not found');
    expect((await t.call('GET', '/campaigns/999/segments/1/people')).error).toBe('Campaign not found');
  });

  it('409, 422 and 503 where its target cannot be evaluated', async () => {
    const failing: FailingTargets = await failingTargets(t);
    for (const [status, words] of evaluationFailures) {
      const broken = await makeCampaign(t.db);
      await makeSegment(t.db, broken, { idTarget: failing[status] });
      expect(await t.call('GET', `/campaigns/${broken}/segments/1/people`)).toMatchObject({
        status,
        data: null,
        error: expect.stringContaining(words),
      });
    }
  });
});
