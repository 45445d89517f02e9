import { afterAll, beforeAll, describe } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  behavesAsGetDirectories,
  ListedObjects,
  listedConfigurations,
} from '../../testing/listed-objects.ts';
import { contentsOperations } from '../operations.ts';

describe('getSendingConfigurationDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  behavesAsGetDirectories(new ListedObjects(() => t, listedConfigurations));
});
