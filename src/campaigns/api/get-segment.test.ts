import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('getSegment', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('200 with all that the document lists', async () => {
    const idCampaign = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, idCampaign, { idTarget });
    const id = await makeSegment(t.db, idCampaign, { idTarget, name: 'Half', percent: 50, isRandom: true });
    const reply = await t.call('GET', `/campaigns/${idCampaign}/segments/2`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Segment' });
    expect(reply.data).toEqual({
      id,
      position: 2,
      parameters: {
        name: 'Half',
        idTarget,
        isExcluded: false,
        isRandom: true,
        percent: 50,
        mailObject: null,
        senderAlias: null,
        fixedValues: 0,
      },
      advertisements: [],
      lastCount: null,
      lastSpamScore: null,
      lastVRSpamScore: null,
      isSpamScoreValid: false,
      isSafe: true,
    });
  });

  it('404 for an unknown campaign or position', async () => {
    const idCampaign = await makeCampaign(t.db);
    expect(await t.call('GET', '/campaigns/999/segments/1')).toMatchObject({ error: 'Campaign not found' });
    expect(await t.call('GET', `/campaigns/${idCampaign}/segments/1`)).toMatchObject({
      status: 404,
      error: 'Segment not found',
    });
  });

  it('400 for the position 0', async () => {
    expect((await t.call('GET', '/campaigns/1/segments/0')).error).toBe(
      'segmentPosition: must be at least 1',
    );
  });
});
