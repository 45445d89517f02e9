import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { behavesAsArchiving, ListedObjects, listedTargets } from '../../testing/listed-objects.ts';
import { targetsOperations } from '../operations.ts';

describe('unarchiveTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  behavesAsArchiving(new ListedObjects(() => t, listedTargets), 'unarchive');

  it('200 and the list of all shows the target, which says so', async () => {
    const { data } = await t.call('POST', '/targets', { body: { name: 'Actifs' } });
    const { id } = data as { id: number };
    await t.call('POST', `/targets/${id}/archive`);
    await t.call('POST', `/targets/${id}/unarchive`);
    expect((await t.call('GET', `/targets/${id}`)).data).toMatchObject({ isArchived: false });
    const { items } = (await t.call('GET', '/targets/all')).data as { items: { idTarget: number }[] };
    expect(items.map(({ idTarget }) => idTarget)).toContain(id);
  });
});
