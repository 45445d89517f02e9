import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('listSegments', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('200 with the segments in order, each as it is got alone', async () => {
    const idCampaign = await makeCampaign(t.db);
    await makeSegment(t.db, idCampaign, { idTarget: await makeTarget(t.db) });
    await makeSegment(t.db, idCampaign, { idTarget: await makeTarget(t.db, { isSafe: false }) });
    const reply = await t.call('GET', `/campaigns/${idCampaign}/segments`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Segment[]' });
    const alone = [1, 2].map((position) => t.call('GET', `/campaigns/${idCampaign}/segments/${position}`));
    expect(reply.data).toEqual((await Promise.all(alone)).map((one) => one.data));
    expect(reply.data).toMatchObject([
      { position: 1, isSafe: true },
      { position: 2, isSafe: false },
    ]);
  });

  it('200 with nothing for a campaign without segments', async () => {
    expect((await t.call('GET', `/campaigns/${await makeCampaign(t.db)}/segments`)).data).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await t.call('GET', '/campaigns/999/segments')).toMatchObject({ status: 404 });
  });
});
