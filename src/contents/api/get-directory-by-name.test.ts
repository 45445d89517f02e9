import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('getDirectoryByName', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const named = (name: string) => t.call('GET', '/directories/by-name', { query: { name }, as: 'reader' });

  it('200 finds ignoring case and accents, the exact spelling first, then the oldest', async () => {
    const oldest = await insertDirectory(t.db, { name: 'ete', dirType: 'Campaign' });
    const exact = await insertDirectory(t.db, { name: 'Été', dirType: 'Config' });
    expect((await named('Été')).data).toMatchObject({ id: exact, name: 'Été' });
    expect((await named('ÉTÉ')).data).toMatchObject({ id: oldest });
    expect((await named(' Été\u00a0')).data).toMatchObject({ id: exact });
  });

  it('404 for an unknown name', async () => {
    expect(await named("x' or true --")).toMatchObject({ status: 404, error: 'Directory not found' });
  });

  it('400 without a name', async () => {
    expect(await t.call('GET', '/directories/by-name')).toMatchObject({
      status: 400,
      error: 'name: is required',
    });
  });
});
