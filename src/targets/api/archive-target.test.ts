import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsArchiving, ListedObjects, listedTargets } from '../../testing/listed-objects.ts';
import { targetsOperations } from '../operations.ts';

describe('archiveTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  behavesAsArchiving(new ListedObjects(() => t, listedTargets), 'archive');

  it('200 and an archived target still counts; the list of all omits it, and it says so', async () => {
    const { data } = await t.call('POST', '/targets', { body: { name: 'Actifs' } });
    const { id } = data as { id: number };
    const listed = async () =>
      ((await t.call('GET', '/targets/all')).data as { totalCount: number }).totalCount;
    const before = await listed();
    await t.call('POST', `/targets/${id}/archive`);
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({ status: 200, data: 0 });
    expect((await t.call('GET', `/targets/${id}`)).data).toMatchObject({ isArchived: true });
    expect(await listed()).toBe(before - 1);
  });
});
