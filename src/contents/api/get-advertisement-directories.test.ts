import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  behavesAsGetDirectories,
  ListedObjects,
  listedAdvertisements,
} from '../../testing/listed-objects.ts';
import { contentsOperations } from '../operations.ts';

describe('getAdvertisementDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  behavesAsGetDirectories(new ListedObjects(() => t, listedAdvertisements));
});
