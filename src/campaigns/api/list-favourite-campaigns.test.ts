import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFavourite } from '../../contents/favourite-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('listFavouriteCampaigns', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('200 with the ids of the caller, and of no other user or kind', async () => {
    const list = () => t.call('GET', '/campaigns/favourites', { as: 'reader' });
    expect(await list()).toMatchObject({ status: 200, data: [] });
    const ids = [await makeCampaign(t.db), await makeCampaign(t.db), await makeCampaign(t.db)];
    for (const id of [ids[2], ids[0]])
      await t.call('PUT', `/campaigns/${id}/favourite`, { body: true, as: 'reader' });
    await setFavourite(t.db, 77, 'campaign', ids[1]!, true);
    await setFavourite(t.db, 1, 'target', ids[1]!, true);
    expect((await list()).data).toEqual([ids[0], ids[2]]);
  });
});
