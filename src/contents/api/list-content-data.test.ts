import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableRecord } from '../../files/table.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { scannedTables } from '../../testing/scanned-tables.ts';
import { contentDataList, replaceContentData } from '../content-data-store.ts';
import { contentsOperations } from '../operations.ts';

interface Page {
  items: { key: string }[];
}

async function* fileOf(values: readonly string[]): AsyncGenerator<TableRecord[]> {
  yield values.map((value, index) => ({ line: index + 1, cells: [value, 'x'] }));
}

describe('listContentData', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    const load = (key: string, values: readonly string[], day: number) =>
      replaceContentData(t.db, key, fileOf(values), new Date(Date.UTC(2026, 10, day)));
    await load('Prix', ['a', 'b', 'A'], 1);
    await load('été', ['a'], 3);
    await load('zones', ['a', 'b', 'c'], 2);
    await load('ZONES', [], 4);
    await replaceContentData(t.otherDb, 'foreign', fileOf(['a']), new Date());
  });
  afterAll(() => t.close());

  const list = (query: object = {}) =>
    t.call('GET', '/content-data', {
      query: { 'filter.sortBy': 'Name', 'filter.order': 'ASC', ...query },
      as: 'reader',
    });
  const keysOf = async (query: object = {}) => ((await list(query)).data as Page).items.map(({ key }) => key);

  it('200 with the data of the site by key, with the rows of the latest file', async () => {
    expect(await list()).toMatchObject({ status: 200, typeName: 'Paged<ListedContentData>' });
    expect((await list()).data).toEqual({
      totalCount: 3,
      count: 3,
      start: 0,
      items: [
        { key: 'été', nbRows: 1, loadDate: '2026-11-03T00:00:00.000Z' },
        { key: 'Prix', nbRows: 2, loadDate: '2026-11-01T00:00:00.000Z' },
        { key: 'zones', nbRows: 0, loadDate: '2026-11-04T00:00:00.000Z' },
      ],
    });
  });

  it.each([
    ['Name', ['zones', 'Prix', 'été']],
    ['NbRows', ['Prix', 'été', 'zones']],
    ['LoadDate', ['zones', 'été', 'Prix']],
  ])('200 in the order of %s', async (sortBy, keys) => {
    expect(await keysOf({ 'filter.sortBy': sortBy, 'filter.order': 'DESC' })).toEqual(keys);
    expect(await keysOf({ 'filter.sortBy': sortBy })).toEqual(keys.toReversed());
  });

  it('200 page by page, and those whose key has a part', async () => {
    expect(await keysOf({ 'filter.start': 1, 'filter.limit': 1 })).toEqual(['Prix']);
    expect(await keysOf({ 'filter.name': 'ETE' })).toEqual(['été']);
    expect((await list({ 'filter.name': '_' })).data).toMatchObject({ totalCount: 0, items: [] });
  });

  it('reads no rows of the data, in any order', async () => {
    for (const sortBy of contentDataList.sorts) {
      const query = { 'filter.sortBy': sortBy, 'filter.order': 'ASC' } as const;
      const read = await scannedTables(t.db, (tx) => contentDataList.page(tx, query));
      expect([sortBy, read]).toEqual([sortBy, ['content_data']]);
    }
  });

  it('400 without an order, and for an unknown one', async () => {
    expect((await t.call('GET', '/content-data')).status).toBe(400);
    expect((await list({ 'filter.sortBy': 'Size' })).status).toBe(400);
  });
});
