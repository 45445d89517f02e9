import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { keepContentBlock } from '../content-block-store.ts';
import { contentsOperations } from '../operations.ts';

interface Page {
  totalCount: number;
  items: { contentKey: string }[];
}

describe('listContentBlocks', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    const keep = (contentKey: string, contentValue: string, day: number) =>
      keepContentBlock(t.db, { contentKey, contentValue }, new Date(Date.UTC(2026, 10, day)));
    await keep('Zoo', 'é', 4);
    await keep('été', 'x'.repeat(100_000), 2);
    await keep('Etage', '', 3);
    await keep('Avent', 'abc', 1);
    await keep('AVENT', 'abcd', 5);
    await keepContentBlock(t.otherDb, { contentKey: 'foreign', contentValue: '' }, new Date());
  });
  afterAll(() => t.close());

  const list = (query: object = {}) =>
    t.call('GET', '/content-blocks/list', {
      query: { 'filter.sortBy': 'Name', 'filter.order': 'ASC', ...query },
      as: 'reader',
    });
  const keysOf = async (query: object = {}) =>
    ((await list(query)).data as Page).items.map(({ contentKey }) => contentKey);

  it('200 with the blocks of the site by key, ignoring case and accents, without their texts', async () => {
    const reply = await list({ 'filter.limit': 1 });
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'Paged<ListedContentBlock>',
      data: { totalCount: 4, count: 1, start: 0 },
    });
    expect((reply.data as Page).items).toEqual([
      {
        contentKey: 'Avent',
        size: 4,
        creationDate: '2026-11-01T00:00:00.000Z',
        updateDate: '2026-11-05T00:00:00.000Z',
      },
    ]);
    expect(await keysOf()).toEqual(['Avent', 'Etage', 'été', 'Zoo']);
  });

  it.each([
    ['Name', ['Zoo', 'été', 'Etage', 'Avent']],
    ['Size', ['été', 'Avent', 'Zoo', 'Etage']],
    ['CreationDate', ['Zoo', 'Etage', 'été', 'Avent']],
    ['UpdateDate', ['Avent', 'Zoo', 'Etage', 'été']],
  ])('200 in the order of %s', async (sortBy, keys) => {
    expect(await keysOf({ 'filter.sortBy': sortBy, 'filter.order': 'DESC' })).toEqual(keys);
    expect(await keysOf({ 'filter.sortBy': sortBy })).toEqual(keys.toReversed());
  });

  it('200 page by page, and those whose key has a part', async () => {
    expect(await keysOf({ 'filter.start': 1, 'filter.limit': 2 })).toEqual(['Etage', 'été']);
    expect((await list({ 'filter.start': 9 })).data).toMatchObject({ totalCount: 4, count: 0, items: [] });
    expect(await keysOf({ 'filter.name': 'ETE' })).toEqual(['été']);
    expect((await list({ 'filter.name': '%' })).data).toMatchObject({ totalCount: 0, items: [] });
  });

  it('400 without an order, and for an unknown one', async () => {
    expect((await t.call('GET', '/content-blocks/list')).status).toBe(400);
    expect((await list({ 'filter.sortBy': 'Id' })).status).toBe(400);
  });
});
