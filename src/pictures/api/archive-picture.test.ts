import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsArchiving, ListedObjects, listedPictures } from '../../testing/listed-objects.ts';
import { picturesOperations } from '../operations.ts';

describe('archivePicture', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: picturesOperations });
  });
  afterAll(() => t.close());

  behavesAsArchiving(new ListedObjects(() => t, listedPictures), 'archive');
});
