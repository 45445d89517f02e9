import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

interface Page {
  readonly items: readonly { readonly idTarget: number; readonly directories: string }[];
}

describe('setTargetDirectories', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  const create = async (): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs' } })).data as { id: number }).id;
  const set = (id: number, body: unknown) =>
    t.call('PUT', `/targets/${id}/directories`, { body, as: 'editor' });
  const read = async (id: number) =>
    ((await t.call('GET', `/targets/${id}/directories`)).data as { id: number }[]).map((one) => one.id);
  const directory = async (name: string, dirType = 'Filter'): Promise<number> =>
    (await t.call('POST', '/pictures/directories', { body: { name, dirType } })).data;
  const listed = async (location: number | string): Promise<number[]> => {
    const query = { 'filter.location': location, 'filter.sortBy': 'IdTarget', 'filter.order': 'ASC' };
    const { items } = (await t.call('GET', '/targets', { query, as: 'reader' })).data as Page;
    return items.map((item) => item.idTarget);
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
    const query = { 'filter.location': 'All', 'filter.sortBy': 'Directories', 'filter.order': 'DESC' };
    const { items } = (await t.call('GET', '/targets', { query })).data as Page;
    expect(items[0]).toMatchObject({ idTarget: id, directories: 'Avent, Été' });
    expect(await listed(any)).toEqual([other]);
    await t.call('POST', `/targets/${id}/archive`);
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
    const wrong = await directory('Wrong', 'Campaign');
    await set(id, [good]);
    expect(await set(id, [good, wrong])).toMatchObject({
      status: 422,
      error: `[1]: directory ${wrong} is of type Campaign; must be of Filter or Unknown`,
    });
    expect(await set(id, [99_999])).toMatchObject({ status: 404, error: '[0]: Directory not found' });
    expect(await read(id)).toEqual([good]);
  });

  it('404 for an unknown one', async () => {
    expect(await set(99_999, [])).toMatchObject({ status: 404, error: 'Target not found' });
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
