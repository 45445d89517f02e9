import { afterAll, beforeAll, describe } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsSetFavourite, ListedObjects, listedTargets } from '../../testing/listed-objects.ts';
import { targetsOperations } from '../operations.ts';

describe('setTargetFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  behavesAsSetFavourite(new ListedObjects(() => t, listedTargets));
});
