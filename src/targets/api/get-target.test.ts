import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('getTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 with the target, archived or not', async () => {
    const id = await create({ pctSelect: 20 });
    await t.call('POST', `/targets/${id}/archive`);
    expect(await t.call('GET', `/targets/${id}`, { as: 'reader' })).toMatchObject({
      status: 200,
      typeName: 'Target',
      data: { id, parameters: { name: 'Actifs', pctSelect: 20 }, isArchived: true },
    });
  });

  it.each(['x', '0', '-1', '1.5', '2147483648', "1'"])('400 for the id %j', async (id) => {
    expect(await t.call('GET', `/targets/${id}`)).toMatchObject({
      status: 400,
      error: expect.stringContaining('idTarget: '),
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('GET', `/targets/${id}`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
