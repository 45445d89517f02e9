import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { advertisers } from '../advertiser-store.ts';
import { contentsOperations } from '../operations.ts';

describe('getAdvertiser', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const get = (id: number | string) => t.call('GET', `/advertisers/${id}`, { as: 'reader' });

  it('200 answers it', async () => {
    const made = await advertisers.insert(t.db, { name: 'Shop', sector: 'Travel' as const });
    expect(await get(made.id)).toMatchObject({ status: 200, typeName: 'Advertiser', data: made });
  });

  it('404 for an unknown one, and for one of another site', async () => {
    await advertisers.insert(t.otherDb, { name: 'Shop', sector: 'Travel' as const });
    const foreign = await advertisers.insert(t.otherDb, { name: 'Shop', sector: 'Travel' as const });
    for (const id of [foreign.id, 999])
      expect(await get(id)).toMatchObject({ status: 404, error: 'Advertiser not found' });
  });

  it('400 for an invalid id', async () => {
    expect((await get('x')).status).toBe(400);
  });
});
