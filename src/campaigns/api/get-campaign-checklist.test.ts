import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('getCampaignChecklist', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const checklist = (id: number) => t.call('GET', `/campaigns/${id}/checklist`, { as: 'reader' });

  it('200 ready, though no link is tracked and no spam score known', async () => {
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const reply = await checklist(id);
    expect(reply).toMatchObject({ status: 200, typeName: 'Checklist' });
    expect(reply.data).toEqual({
      idCampaign: id,
      isCampaignReady: true,
      hasConfig: true,
      hasSubject: true,
      isTracked: false,
      hasHtml: true,
      hasUnsub: true,
      hasSpamscore: false,
      hasSendingFilter: true,
      hasSegmentNotExcluded: true,
      hasSendingsPubs: true,
      isTargetSafe: true,
      notSafeTargetIds: '',
      problems: [],
    });
  });

  it('200 not ready, with the ids of targets that are not safe', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db, { isSafe: false });
    await makeSegment(t.db, id, { idTarget, isExcluded: true });
    expect((await checklist(id)).data).toMatchObject({
      isCampaignReady: false,
      hasSegmentNotExcluded: false,
      isTargetSafe: false,
      notSafeTargetIds: `${idTarget}`,
      problems: ['every segment is excluded', expect.stringContaining(`notSafeTargetIds: ${idTarget}`)],
    });
  });

  it('404 for an unknown campaign', async () => {
    expect(await checklist(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });
});
