import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
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

  it('400 for a member that it does not know', async () => {
    expect((await t.call('GET', '/advertisements', { query: { isArchive: 'true' } })).status).toBe(400);
  });
});
