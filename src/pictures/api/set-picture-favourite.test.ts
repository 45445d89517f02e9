import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFavourite } from '../../contents/favourite-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePicture } from '../../testing/make-picture.ts';
import { picturesOperations as operations } from '../operations.ts';

describe('setPictureFavourite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const mark = (id: number, body: unknown) =>
    t.call('PUT', `/pictures/${id}/favourite`, { body, as: 'reader' });
  const favourites = async (): Promise<number[]> => {
    const query = { 'filter.location': 'MyFavorites', 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const { data } = await t.call('GET', '/pictures', { query, as: 'reader' });
    return (data as { items: { idPicture: number }[] }).items.map((item) => item.idPicture);
  };

  it('200 for a reader, however often; others have their own', async () => {
    const [id, other] = [await makePicture(t.db), await makePicture(t.db)];
    for (let i = 0; i < 2; i++) {
      expect(await mark(id, true)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    }
    // The tokens of tests are all of one user.
    await setFavourite(t.db, 77, 'picture', other, true);
    expect(await favourites()).toEqual([id]);
    for (let i = 0; i < 2; i++) expect(await mark(id, false)).toMatchObject({ status: 200, data: true });
    expect(await favourites()).toEqual([]);
  });

  it('404 for an unknown one', async () => {
    for (const body of [true, false])
      expect(await mark(99_999, body)).toMatchObject({ status: 404, error: 'Picture not found' });
  });

  it.each([['true'], [1], [null], [{}]])('400 for %j', async (body) => {
    expect(await mark(await makePicture(t.db), body)).toMatchObject({
      status: 400,
      error: expect.stringContaining('body: must be a boolean'),
    });
  });
});
