import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('getDirectory', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  it('200 answers the directory with its parent', async () => {
    const parent = await insertDirectory(t.db, { name: 'Été', dirType: 'Campaign' });
    const id = await insertDirectory(t.db, { name: 'Plage', dirType: 'Campaign', idParent: parent });
    const reply = await t.call('GET', `/directories/${id}`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Directory' });
    expect(reply.data).toEqual({ id, name: 'Plage', isSystem: false, idParent: parent, dirType: 'Campaign' });
    expect((await t.call('GET', `/directories/${parent}`)).data).toMatchObject({ idParent: null });
  });

  it('404 for an unknown one, and for one of another site', async () => {
    const foreign = await insertDirectory(t.otherDb, { name: 'x', dirType: 'Link' });
    await insertDirectory(t.otherDb, { name: 'y', dirType: 'Link' });
    const last = await insertDirectory(t.otherDb, { name: 'z', dirType: 'Link' });
    expect(last).toBeGreaterThan(foreign);
    for (const id of [last, 99])
      expect(await t.call('GET', `/directories/${id}`)).toMatchObject({
        status: 404,
        error: 'Directory not found',
      });
  });

  it('400 for an invalid id', async () => {
    expect(await t.call('GET', '/directories/abc')).toMatchObject({ status: 400, data: null });
  });
});
