import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('isTargetSafe', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  const set = (idTarget: number, operator: string, value: string, isEnabled = true) =>
    t.call('PUT', '/targets/filters/field', {
      body: { idTarget, isEnabled, filters: [{ idField: 7, operator, value }] },
    });

  it('200 shows whether an enabled filter holds the status to 0', async () => {
    const id = await create();
    const isSafe = async () => (await t.call('GET', `/targets/${id}/safe`)).data;
    expect(await t.call('GET', `/targets/${id}/safe`)).toMatchObject({
      status: 200,
      data: false,
      typeName: 'Boolean',
    });
    await set(id, 'Equal', '0');
    expect(await isSafe()).toBe(true);
    await set(id, 'Equal', '0', false);
    expect(await isSafe()).toBe(false);
    await set(id, 'In', '0');
    expect(await isSafe()).toBe(false);
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('GET', `/targets/${id}/safe`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
