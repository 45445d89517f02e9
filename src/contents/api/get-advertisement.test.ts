import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { contentsOperations } from '../operations.ts';

describe('getAdvertisement', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const get = (id: number | string) => t.call('GET', `/advertisements/${id}`, { as: 'reader' });

  it('200 even for an archived one', async () => {
    const id = await makeAd(t.db, '<p>Sale</p>', { name: 'Sale', isArchive: true });
    expect(await get(id)).toMatchObject({
      status: 200,
      typeName: 'Advertisement',
      data: { id, name: 'Sale', html: '<p>Sale</p>', isArchive: true },
    });
  });

  it('200 as JSON that no browser takes for a page', async () => {
    const id = await makeAd(t.db, '<script>alert(1)</script>');
    const reply = await t.server.inject({
      url: `/v1/demo/advertisements/${id}`,
      headers: { authorization: t.token('reader') },
    });
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
  });

  it('404 for an unknown one, and for one of another site', async () => {
    await makeAd(t.otherDb, 'a');
    await makeAd(t.otherDb, 'a');
    const foreign = await makeAd(t.otherDb, 'a');
    for (const id of [foreign, 999])
      expect(await get(id)).toMatchObject({ status: 404, error: 'Advertisement not found' });
  });

  it('400 for an invalid id', async () => {
    expect((await get('x')).status).toBe(400);
  });
});
