import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, type FailingTargets, failingTargets } from '../../testing/failing-targets.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('countSegment', () => {
  let t: TestApp;
  let failing: FailingTargets;
  beforeAll(async () => {
    t = await testApp({ operations });
    await makeSubscribers(t.db, [1, 2, 3]);
    failing = await failingTargets(t);
  });
  afterAll(() => t.close());

  it('200 with the one count, less what the segments before it take', async () => {
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db, { ids: [1] }) });
    const idSegment = await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const reply = await t.call('GET', `/campaigns/${id}/segments/2/count`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'SegmentCount[]' });
    expect(reply.data).toEqual([
      {
        idSegment,
        position: 2,
        percent: 100,
        fixedValues: 0,
        targetCount: 3,
        deDuplicatedCount: 2,
        segmentCount: 2,
      },
    ]);
  });

  it.each(evaluationFailures)('%i where its target cannot be evaluated', async (status, words) => {
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: failing[status] });
    expect(await t.call('GET', `/campaigns/${id}/segments/1/count`)).toMatchObject({
      status,
      data: null,
      error: expect.stringContaining(words),
    });
  });

  it('404 for an unknown campaign or position', async () => {
    const id = await makeCampaign(t.db);
    expect((await t.call('GET', `/campaigns/${id}/segments/1/count`)).error).toBe('Segment not found');
    expect((await t.call('GET', '/campaigns/999/segments/1/count')).error).toBe('Campaign not found');
  });
});
