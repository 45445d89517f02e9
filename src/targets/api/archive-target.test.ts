import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('archiveTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 and true, also when nothing changes', async () => {
    const id = await create();
    await t.call('POST', `/targets/${id}/archive`);
    for (let i = 0; i < 2; i++) {
      expect(await t.call('POST', `/targets/${id}/archive`)).toMatchObject({
        status: 200,
        data: true,
        typeName: 'Boolean',
      });
    }
    expect((await t.call('GET', `/targets/${id}`)).data).toMatchObject({ isArchived: true });
    expect((await t.call('GET', '/targets/all')).data).toMatchObject({ totalCount: 0 });
    // What uses it goes on working.
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({ status: 200, data: 0 });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('POST', `/targets/${id}/archive`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
