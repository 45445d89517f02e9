import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFavourite } from '../../contents/favourite-store.ts';
import { contentsOperations } from '../../contents/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

interface Page {
  readonly items: readonly { readonly idTarget: number; readonly directories: string }[];
}

describe('setTargetFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  const create = async (): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs' } })).data as { id: number }).id;
  const mark = (id: number, body: unknown) =>
    t.call('PUT', `/targets/${id}/favourite`, { body, as: 'reader' });
  const favourites = async (): Promise<number[]> => {
    const query = {
      'filter.location': 'MyFavorites',
      'filter.sortBy': 'IdTarget',
      'filter.order': 'ASC',
    };
    const { items } = (await t.call('GET', '/targets', { query, as: 'reader' })).data as Page;
    return items.map((item) => item.idTarget);
  };

  it('200 for a reader, however often; others have their own', async () => {
    const [id, other] = [await create(), await create()];
    for (let i = 0; i < 2; i++) {
      expect(await mark(id, true)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    }
    // The tokens of tests are all of one user.
    await setFavourite(t.db, 77, 'target', other, true);
    expect(await favourites()).toEqual([id]);
    for (let i = 0; i < 2; i++) expect(await mark(id, false)).toMatchObject({ status: 200, data: true });
    expect(await favourites()).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    for (const body of [true, false])
      expect(await mark(99_999, body)).toMatchObject({ status: 404, error: 'Target not found' });
  });

  it.each([['true'], [1], [null], [{}]])('400 for %j', async (body) => {
    expect(await mark(await create(), body)).toMatchObject({
      status: 400,
      error: expect.stringContaining('body: must be a boolean'),
    });
  });
});
