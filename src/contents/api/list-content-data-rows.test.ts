import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableRecord } from '../../files/table.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { replaceContentData } from '../content-data-store.ts';
import { contentsOperations } from '../operations.ts';

async function* fileOf(rows: readonly (readonly [string, string])[]): AsyncGenerator<TableRecord[]> {
  yield rows.map((cells, index) => ({ line: index + 1, cells: [...cells] }));
}

describe('listContentDataRows', () => {
  let t: TestApp;
  const hostile = '<script>alert(1)</script>';
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    const load = (key: string, rows: readonly (readonly [string, string])[]) =>
      replaceContentData(t.db, key, fileOf(rows), new Date());
    await load('Prices', [
      ['c', 'é'.repeat(1_500)],
      ['A', hostile],
      ['b', ''],
    ]);
    await load('other', [['a', 'of other data']]);
    await load('empty', []);
    await replaceContentData(t.otherDb, 'foreign', fileOf([['a', 'secret']]), new Date());
  });
  afterAll(() => t.close());

  const list = (key: string, query: object = {}) =>
    t.call('GET', '/content-data/rows', { query: { key, ...query }, as: 'reader' });

  it('200 with the rows of the data in the order of their values, long contents cut', async () => {
    expect(await list('PRICES')).toMatchObject({ status: 200, typeName: 'Paged<ContentDataRow>' });
    expect((await list('prices')).data).toEqual({
      totalCount: 3,
      count: 3,
      start: 0,
      items: [
        { value: 'a', content: hostile, size: hostile.length },
        { value: 'b', content: '', size: 0 },
        { value: 'c', content: 'é'.repeat(1_000), size: 3_000 },
      ],
    });
  });

  it('200 page by page', async () => {
    const page = (await list('prices', { 'filter.start': 1, 'filter.limit': 1 })).data;
    expect(page).toMatchObject({ totalCount: 3, count: 1, start: 1, items: [{ value: 'b' }] });
    expect((await list('empty')).data).toEqual({ totalCount: 0, count: 0, start: 0, items: [] });
  });

  it('200 with the row that readers with a value see, ignoring case', async () => {
    expect((await list('prices', { 'filter.value': ' C ' })).data).toMatchObject({
      totalCount: 1,
      items: [{ value: 'c' }],
    });
    for (const value of ['d', '%', '_'])
      expect((await list('prices', { 'filter.value': value })).data).toMatchObject({
        totalCount: 0,
        items: [],
      });
    const next = { 'filter.value': 'a', 'filter.start': 1 };
    expect((await list('prices', next)).data).toMatchObject({ totalCount: 1, items: [] });
  });

  it.each(['none', 'foreign'])('404 for the key %s', async (key) => {
    expect(await list(key)).toMatchObject({ status: 404, error: 'key: Content data not found' });
  });

  it('400 without a key', async () => {
    expect(await t.call('GET', '/content-data/rows', { as: 'reader' })).toMatchObject({
      status: 400,
      error: 'key: is required',
    });
  });
});
