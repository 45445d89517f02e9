import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDirectory } from '../../contents/directory-store.ts';
import { setFavourite } from '../../contents/favourite-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePicture } from '../../testing/make-picture.ts';
import { noisePicture } from '../../testing/noise-picture.ts';
import { picturesOperations as operations } from '../operations.ts';
import type { Picture } from '../picture.ts';

interface Page {
  readonly totalCount: number;
  readonly count: number;
  readonly start: number;
  readonly items: readonly Picture[];
}

describe('listPictures', () => {
  let t: TestApp;
  let ids: number[];
  beforeAll(async () => {
    t = await testApp({ operations });
    const grace = { id: 2, name: 'Grace' };
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    ids = [
      await makePicture(t.db, { name: 'Été', fileName: 'c.png', at: day(3) }),
      await makePicture(t.db, { name: 'banner', fileName: 'Été.png', author: grace, at: day(2) }),
      await makePicture(t.db, { name: 'Logo', fileName: 'b.png', at: day(1) }),
    ];
    await t.call('PUT', `/pictures/${ids[2]}/favourite`, { body: true, as: 'reader' });
    await setFavourite(t.db, 2, 'picture', ids[1]!, true);
    await makePicture(t.otherDb);
  });
  afterAll(() => t.close());

  const list = (query: Record<string, string | number> = {}) =>
    t.call('GET', '/pictures', {
      query: { 'filter.sortBy': 'Id', 'filter.order': 'ASC', ...query },
      as: 'reader',
    });
  const page = async (query: Record<string, string | number> = {}) => (await list(query)).data as Page;
  const found = async (query: Record<string, string | number>) =>
    (await page(query)).items.map(({ idPicture }) => ids.indexOf(idPicture));

  it('200 a page of the site’s pictures', async () => {
    const reply = await list({ 'filter.start': 1, 'filter.limit': 1 });
    expect(reply).toMatchObject({ status: 200, typeName: 'Paged<Picture>' });
    expect(reply.data).toMatchObject({ totalCount: 3, count: 1, start: 1, items: [{ name: 'banner' }] });
  });

  it.each([
    ['Id', [0, 1, 2]],
    ['Name', [1, 0, 2]],
    ['FileName', [2, 0, 1]],
    ['LastUpdate', [2, 1, 0]],
    ['Author', [0, 2, 1]],
  ])('200 sorted by %s, both ways', async (sortBy, expected) => {
    expect(await found({ 'filter.sortBy': sortBy })).toEqual(expected);
    const descending = await found({ 'filter.sortBy': sortBy, 'filter.order': 'DESC' });
    if (sortBy !== 'Author') expect(descending).toEqual([...expected].reverse());
    else expect(descending).toEqual([1, 2, 0]);
  });

  it('200 sorted by size, and at random without losing any', async () => {
    const larger = (await noisePicture(60, 40, 'png')).toString('base64');
    const body = { name: 'z', fileName: 'z.png', base64Content: larger };
    expect((await t.call('POST', '/pictures', { body })).status).toBe(200);
    const bySize = await page({ 'filter.sortBy': 'PictureSize', 'filter.order': 'DESC' });
    expect(bySize.items.map(({ name }) => name)[0]).toBe('z');
    const random = await page({ 'filter.sortBy': 'RandomMode' });
    expect(random.items.map(({ idPicture }) => idPicture).sort()).toEqual(
      [...bySize.items.map((one) => one.idPicture)].sort(),
    );
  });

  it.each([
    ['All', [0, 1, 2, -1]],
    ['MyFavorites', [2]],
    ['MyCreated', [0, 2, -1]],
    ['Archives', []],
  ])('200 location %s', async (location, expected) => {
    expect(await found({ 'filter.location': location })).toEqual(expected);
  });

  it('200 those that are in a directory', async () => {
    const tag = await insertDirectory(t.db, { name: 'Tag', dirType: 'Image' });
    await t.db.run(sql`
      insert into ${t.db.t.object_directory} (kind, id_object, id_directory) values ('picture', ${ids[1]}, ${tag})`);
    expect(await found({ 'filter.location': tag })).toEqual([1]);
    expect(await found({ 'filter.location': 99_999 })).toEqual([]);
  });

  it('200 by parts of the names, ignoring case and accents', async () => {
    expect(await found({ 'filter.name': 'ETE' })).toEqual([0]);
    expect(await found({ 'filter.fileName': 'ETE.' })).toEqual([1]);
    expect(await found({ 'filter.name': '%' })).toEqual([]);
    expect(await found({ 'filter.name': 'a', 'filter.fileName': 'b' })).toEqual([]);
  });

  it.each([
    [{ 'filter.sortBy': 'Size' }, 'filter.sortBy: must be one of Name, Id, LastUpdate, Author, RandomMode'],
    [{ 'filter.location': 'Mine' }, 'filter.location: must be one of All, MyFavorites, MyCreated, Archives'],
    [{ 'filter.order': 'asc' }, 'filter.order: must be one of ASC, DESC'],
    [{ 'filter.limit': 1_001 }, 'filter.limit: must be at most 1000'],
  ])('400 for %j', async (query, error) => {
    expect(await list(query as never)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });
});
