import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('getSendingConfigurationDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = async (): Promise<number> =>
    (
      (
        await t.call('POST', '/sending-configurations', {
          body: { name: 'Shop', senderEMail: 'a@b.fr', responseEMail: 'a@b.fr' },
        })
      ).data as { id: number }
    ).id;

  it('200 answers them by name', async () => {
    const id = await create();
    const ids: number[] = [];
    for (const name of ['zoo', 'Été', 'Avent']) {
      const body = { name, dirType: 'Config' };
      ids.push((await t.call('POST', '/pictures/directories', { body })).data);
    }
    await t.call('PUT', `/sending-configurations/${id}/directories`, { body: ids });
    const reply = await t.call('GET', `/sending-configurations/${id}/directories`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Directory[]' });
    const member = (name: string, index: number) => ({
      id: ids[index],
      name,
      isSystem: false,
      idParent: null,
      dirType: 'Config',
    });
    expect(reply.data).toEqual([member('Avent', 2), member('Été', 1), member('zoo', 0)]);
    expect((await t.call('GET', `/sending-configurations/${await create()}/directories`)).data).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    expect(await t.call('GET', '/sending-configurations/99999/directories')).toMatchObject({
      status: 404,
      error: 'Sending configuration not found',
    });
  });
});
