import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsArchiving } from '../../testing/archive-behaviour.ts';
import { targetsOperations } from '../operations.ts';

describe('archiveTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  behavesAsArchiving(() => t, 'archive');
});
