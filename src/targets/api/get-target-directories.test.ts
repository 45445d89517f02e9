import { afterAll, beforeAll, describe } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsGetDirectories, ListedObjects, listedTargets } from '../../testing/listed-objects.ts';
import { targetsOperations } from '../operations.ts';

describe('getTargetDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  behavesAsGetDirectories(new ListedObjects(() => t, listedTargets));
});
