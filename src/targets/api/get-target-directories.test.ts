import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

describe('getTargetDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  const create = async (): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs' } })).data as { id: number }).id;

  it('200 answers them by name', async () => {
    const id = await create();
    const ids: number[] = [];
    for (const name of ['zoo', 'Été', 'Avent']) {
      const body = { name, dirType: 'Filter' };
      ids.push((await t.call('POST', '/pictures/directories', { body })).data);
    }
    await t.call('PUT', `/targets/${id}/directories`, { body: ids });
    const reply = await t.call('GET', `/targets/${id}/directories`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Directory[]' });
    const member = (name: string, index: number) => ({
      id: ids[index],
      name,
      isSystem: false,
      idParent: null,
      dirType: 'Filter',
    });
    expect(reply.data).toEqual([member('Avent', 2), member('Été', 1), member('zoo', 0)]);
    expect((await t.call('GET', `/targets/${await create()}/directories`)).data).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    expect(await t.call('GET', '/targets/99999/directories')).toMatchObject({
      status: 404,
      error: 'Target not found',
    });
  });
});
