import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { untrack } from '../tracked-link-store.ts';

describe('listTrackedLinks', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
  });
  afterAll(() => t.close());

  it('200 answers what was stored, tracked or not, and stores nothing', async () => {
    const id = await makeCampaign(t.db, {
      htmlContent: '<a href="https://a.fr/">a</a><a href="https://b.fr/">b</a>',
    });
    const list = () => t.call('GET', `/campaigns/${id}/tracked-links`, { as: 'reader' });
    expect(await list()).toMatchObject({ status: 200, data: [], typeName: 'TrackedUrl[]' });
    const stored = (await t.call('POST', '/campaigns/tracked-links', { body: id })).data as TrackedUrl[];
    await untrack(t.db, id, stored[0]!.id);
    expect((await list()).data).toEqual([{ ...stored[0], isTracked: false }, stored[1]]);
  });

  it('404 for an unknown campaign, and for one of another site', async () => {
    await makeCampaign(t.otherDb);
    const foreign = await makeCampaign(t.otherDb);
    for (const id of [foreign, 999])
      expect(await t.call('GET', `/campaigns/${id}/tracked-links`)).toMatchObject({
        status: 404,
        error: 'Campaign not found',
      });
  });
});
