import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

interface Page {
  readonly items: readonly { readonly config: { readonly id: number }; readonly isFavourite: boolean }[];
}

describe('setSendingConfigurationDirectories', () => {
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
  const set = (id: number, body: unknown) =>
    t.call('PUT', `/sending-configurations/${id}/directories`, { body, as: 'editor' });
  const read = async (id: number) =>
    ((await t.call('GET', `/sending-configurations/${id}/directories`)).data as { id: number }[]).map(
      (one) => one.id,
    );
  const directory = async (name: string, dirType = 'Config'): Promise<number> =>
    (await t.call('POST', '/pictures/directories', { body: { name, dirType } })).data;
  const listed = async (location: number | string): Promise<number[]> => {
    const query = { 'filter.location': location, 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const { items } = (await t.call('GET', '/sending-configurations', { query, as: 'reader' })).data as Page;
    return items.map((item) => item.config.id);
  };

  it('200 takes the whole set, and lists find it', async () => {
    const id = await create();
    const other = await create();
    const [summer, advent] = [await directory('Été'), await directory('Avent')];
    const any = await directory('Any', 'Unknown');
    expect(await set(id, [summer, summer, any])).toMatchObject({
      status: 200,
      data: true,
      typeName: 'Boolean',
    });
    expect(await read(id)).toEqual([any, summer]);
    await set(other, [any]);
    expect(await listed(summer)).toEqual([id]);
    expect(await listed(any)).toEqual([id, other]);
    await set(id, [summer, advent]);
    expect(await read(id)).toEqual([advent, summer]);
    expect(await listed(any)).toEqual([other]);
    await t.call('PUT', '/sending-configurations', { body: { id, isArchive: true } });
    expect(await listed(summer)).toEqual([]);
    await set(id, []);
    expect(await read(id)).toEqual([]);
  });

  it('200 two sets at once: one of them is left, whole', async () => {
    const id = await create();
    const [a, b, c] = [await directory('a'), await directory('b'), await directory('c')];
    await Promise.all([set(id, [a, b]), set(id, [c]), set(id, [a, b]), set(id, [c])]);
    expect([[a, b], [c]]).toContainEqual(await read(id));
  });

  it('422 for one that sorts something else, 404 for one that is not there; nothing is changed', async () => {
    const id = await create();
    const good = await directory('Good');
    const wrong = await directory('Wrong', 'Filter');
    await set(id, [good]);
    expect(await set(id, [good, wrong])).toMatchObject({
      status: 422,
      error: `[1]: directory ${wrong} is of type Filter; must be of Config or Unknown`,
    });
    expect(await set(id, [99_999])).toMatchObject({ status: 404, error: '[0]: Directory not found' });
    expect(await read(id)).toEqual([good]);
  });

  it('404 for an unknown one', async () => {
    expect(await set(99_999, [])).toMatchObject({ status: 404, error: 'Sending configuration not found' });
  });

  it.each([
    [{}, 'body: must be an array'],
    [['1'], '[0]: must be an integer'],
    [[0], '[0]: must be at least 1'],
    [Array.from({ length: 51 }, (_, i) => i + 1), 'body: must have at most 50'],
  ])('400 for %j', async (body, error) => {
    expect(await set(await create(), body)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });
});
