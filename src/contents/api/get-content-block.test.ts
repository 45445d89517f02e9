import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { keepContentBlock } from '../content-block-store.ts';
import { contentsOperations } from '../operations.ts';

describe('getContentBlock', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    await keepContentBlock(t.db, { contentKey: 'Été 2026', contentValue: '<b>[[FLD.1]]</b>' }, new Date());
  });
  afterAll(() => t.close());

  const get = (query: Record<string, string>) => t.call('GET', '/content-blocks', { query, as: 'reader' });

  it('200 with the block, ignoring case', async () => {
    expect(await get({ contentKey: 'été 2026' })).toMatchObject({
      status: 200,
      data: { contentKey: 'Été 2026', contentValue: '<b>[[FLD.1]]</b>' },
      typeName: 'ContentBlock',
    });
  });

  it('404 for an unknown one', async () => {
    expect(await get({ contentKey: 'hiver' })).toMatchObject({
      status: 404,
      error: 'contentKey: Content block not found',
    });
  });

  it('400 without a key', async () => {
    expect(await get({})).toMatchObject({ status: 400, error: 'contentKey: is required' });
  });
});
