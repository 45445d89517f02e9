import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('listAdvertisements', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  it('200 lists those of the site by id, archived ones too', async () => {
    const list = () => t.call('GET', '/advertisements', { as: 'reader' });
    await makeAd(t.otherDb, 'foreign');
    expect(await list()).toMatchObject({ status: 200, data: [], typeName: 'Advertisement[]' });
    const first = await makeAd(t.db, 'a', { isArchive: true });
    const second = await makeAd(t.db, 'b');
    expect((await list()).data).toMatchObject([
      { id: first, html: 'a', isArchive: true },
      { id: second, html: 'b', isArchive: false },
    ]);
  });

  it('404 for a nonexistent directory, 422 for one of another type', async () => {
    const inDirectory = (idDirectory: number) => t.call('GET', '/advertisements', { query: { idDirectory } });
    expect(await inDirectory(99)).toMatchObject({
      status: 404,
      error: expect.stringContaining('idDirectory'),
    });
    const id = await insertDirectory(t.db, { name: 'Pictures', dirType: 'Image' });
    expect(await inDirectory(id)).toMatchObject({
      status: 422,
      error: `idDirectory: directory ${id} is of type Image; must be of Pub or Unknown`,
    });
  });

  it('400 for a member that it does not know', async () => {
    expect((await t.call('GET', '/advertisements', { query: { isArchive: 'true' } })).status).toBe(400);
  });
});
