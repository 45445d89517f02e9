import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsSetFavourite, ListedObjects, listedPictures } from '../../testing/listed-objects.ts';
import { picturesOperations as operations } from '../operations.ts';

describe('setPictureFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: operations });
  });
  afterAll(() => t.close());

  behavesAsSetFavourite(new ListedObjects(() => t, listedPictures));
});
