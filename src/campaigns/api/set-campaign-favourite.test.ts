import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsSetFavourite, ListedObjects, listedCampaigns } from '../../testing/listed-objects.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('setCampaignFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  behavesAsSetFavourite(new ListedObjects(() => t, listedCampaigns));
});
