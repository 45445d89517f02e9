import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFavourite } from '../../contents/favourite-store.ts';
import { replaceDirectories } from '../../contents/object-directory-store.ts';
import { contentsOperations } from '../../contents/operations.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { targetsOperations } from '../operations.ts';

describe('listTargets', () => {
  let t: TestApp;
  const ids: Record<string, number> = {};
  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
    for (const [name, body] of Object.entries({
      zèbre: { isTestTarget: true },
      Abeille: { isRandomMode: true },
      éléphant: {},
      Écureuil: {},
      archive: {},
    })) {
      t.clock.advance(1_000);
      ids[name] = await create({ name, ...body });
    }
    await t.call('POST', `/targets/${ids.archive}/archive`);
    const { target } = t.db.t;
    await t.db.run(sql`update ${target} set id_user = 77, author = 'Éric' where id = ${ids.éléphant}`);
    for (const name of ['Promo', 'été', 'vide'])
      await t.call('POST', '/pictures/directories', { body: { name, dirType: 'Filter' } });
    await t.call('PUT', `/targets/${ids.Abeille}/directories`, { body: [1, 2] });
    await t.call('PUT', `/targets/${ids.éléphant}/directories`, { body: [2] });
    // What is no target, and what is another user's.
    await replaceDirectories(t.db, 'campaign', ids.Écureuil!, [2]);
    await t.call('PUT', `/targets/${ids.éléphant}/favourite`, { body: true });
    await setFavourite(t.db, 77, 'target', ids.zèbre!, true);
  });
  afterAll(() => t.close());

  const list = (query: Record<string, string | number>) =>
    t.call('GET', '/targets', {
      query: { 'filter.location': 'All', 'filter.sortBy': 'Name', 'filter.order': 'ASC', ...query },
    });
  const namesOf = async (query: Record<string, string | number>) => {
    const { items } = (await list(query)).data as { items: { name: string }[] };
    return items.map((item) => item.name);
  };

  it.each([
    ['All', ['Abeille', 'Écureuil', 'éléphant', 'zèbre']],
    ['MyFavorites', ['éléphant']],
    ['MyCreated', ['Abeille', 'Écureuil', 'zèbre']],
    ['MyTests', ['zèbre']],
    ['Archives', ['archive']],
    ['1', ['Abeille']],
    ['2', ['Abeille', 'éléphant']],
    ['3', []],
    ['9999', []],
  ])('200 in %s', async (location, names) => {
    expect(await namesOf({ 'filter.location': location })).toEqual(names);
  });

  it.each([
    ['Name', 'DESC', ['zèbre', 'éléphant', 'Écureuil', 'Abeille']],
    ['IdTarget', 'ASC', ['zèbre', 'Abeille', 'éléphant', 'Écureuil']],
    ['LastUpdateDate', 'DESC', ['Écureuil', 'éléphant', 'Abeille', 'zèbre']],
    ['Author', 'DESC', ['éléphant', 'Écureuil', 'Abeille', 'zèbre']],
    ['IsTestTarget', 'DESC', ['zèbre', 'Écureuil', 'éléphant', 'Abeille']],
    ['IsRandomMode', 'DESC', ['Abeille', 'Écureuil', 'éléphant', 'zèbre']],
    ['Directories', 'DESC', ['Abeille', 'éléphant', 'Écureuil', 'zèbre']],
  ])('200 by %s %s', async (sortBy, order, names) => {
    expect(await namesOf({ 'filter.sortBy': sortBy, 'filter.order': order })).toEqual(names);
  });

  it.each([
    ['ele', ['éléphant']],
    ['E', ['Abeille', 'Écureuil', 'éléphant', 'zèbre']],
    ['%', []],
    ["'", []],
  ])('200 with %j in the name', async (name, names) => {
    expect(await namesOf({ 'filter.name': name })).toEqual(names);
  });

  it('200 with the names of tags, and pages that know the total', async () => {
    const { data } = await list({ 'filter.limit': 1 });
    expect(data).toMatchObject({ totalCount: 4, count: 1, start: 0, items: [{ directories: 'été, Promo' }] });
    expect((await list({ 'filter.start': 3, 'filter.limit': 5 })).data).toMatchObject({
      totalCount: 4,
      count: 1,
      start: 3,
      items: [{ name: 'zèbre' }],
    });
    expect((await list({ 'filter.start': 50 })).data).toMatchObject({
      totalCount: 4,
      count: 0,
      items: [],
      start: 50,
    });
  });

  it.each([
    [
      { 'filter.location': 'all' },
      'filter.location: must be one of All, MyFavorites, MyCreated, Archives, MyTests',
    ],
    [{ 'filter.location': '1 or 1=1' }, 'filter.location: must be one of'],
    [{ 'filter.location': '0' }, 'filter.location: must be one of'],
    [{ 'filter.sortBy': 'name; drop table target' }, 'must be one of Name, IdTarget'],
    [{ 'filter.order': 'asc' }, 'must be one of ASC, DESC'],
    [{ 'filter.limit': 100_000 }, 'must be at most 1000'],
    [{ 'filter.start': -1 }, 'must be at least 0'],
    [{ sort: 'x' }, 'sort: unknown member'],
  ])('400 for %j', async (query, error) => {
    expect(await list(query as Record<string, string>)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('400 without what is required', async () => {
    expect(await t.call('GET', '/targets')).toMatchObject({
      status: 400,
      error: expect.stringContaining('is required'),
    });
  });
});
