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

  it('200 with what it takes from its template, while that is one', async () => {
    const parameters = { name: 'Layout', subject: 'Hello [[FOO]]', mode: 'Dynamic' as const };
    const idCampDynamic = await makeCampaign(t.db, { parameters });
    const own = { parameters: { name: 'Spring', subject: '' }, htmlContent: '', idCampDynamic };
    const id = await makeCampaign(t.db, own);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    expect((await checklist(id)).data).toMatchObject({
      hasHtml: true,
      hasSubject: false,
      problems: [expect.stringContaining('[[FOO]]')],
    });
    const change = (body: object) => t.call('PUT', '/campaigns', { body: { id: idCampDynamic, ...body } });
    expect((await change({ parameters: { subject: 'Hello' } })).status).toBe(200);
    expect((await checklist(id)).data).toMatchObject({ isCampaignReady: true, problems: [] });
    expect((await change({ parameters: { mode: 'Simple' } })).status).toBe(200);
    expect((await checklist(id)).data).toMatchObject({
      isCampaignReady: false,
      hasHtml: false,
      hasSubject: false,
      problems: [
        `idCampDynamic: campaign ${idCampDynamic} is not of mode Dynamic`,
        'no subject',
        'no HTML content',
      ],
    });
  });

  it('404 for an unknown campaign', async () => {
    expect(await checklist(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });
});
