import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePicture } from '../../testing/make-picture.ts';
import { picturesOperations as operations } from '../operations.ts';
import type { Picture } from '../picture.ts';

describe('renamePicture', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    id = await makePicture(t.db);
  });
  afterAll(() => t.close());

  const rename = (body: unknown, idPicture = id) =>
    t.call('PUT', `/pictures/${idPicture}/name`, { body, as: 'editor' });
  const read = async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    return (await t.call('GET', '/pictures', { query })).data as { items: Picture[] };
  };

  it('200 true; its file, its address and its author stay', async () => {
    const { items } = await read();
    expect(await rename(' Été "1" ')).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect((await read()).items).toEqual([
      { ...items[0], name: 'Été "1"', lastUpdateDate: '2026-11-20T10:00:00.000Z' },
    ]);
  });

  it('404 for an unknown one, and for one of another site', async () => {
    await makePicture(t.otherDb);
    const foreign = await makePicture(t.otherDb);
    for (const one of [foreign, 999_999])
      expect(await rename('x', one)).toMatchObject({ status: 404, error: 'Picture not found' });
  });

  it.each([
    [' ', 'body: must not be blank'],
    ['x'.repeat(256), 'body: must have at most 255 characters'],
    ['a\u0000', 'body: holds characters that are not allowed (control characters or line ends)'],
    [7, 'body: must be a string'],
    [{ name: 'a' }, 'body: must be a string'],
  ])('400 for %j', async (body, error) => {
    expect(await rename(body)).toMatchObject({ status: 400, error });
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', `/pictures/${id}/name`, { body: 'x', as: 'reader' })).status).toBe(403);
  });
});
