import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsSetFavourite, ListedObjects, listedConfigurations } from '../../testing/listed-objects.ts';
import { contentsOperations } from '../operations.ts';

describe('setSendingConfigurationFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  behavesAsSetFavourite(new ListedObjects(() => t, listedConfigurations));
});
