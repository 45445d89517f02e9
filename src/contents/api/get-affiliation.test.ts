import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { affiliations } from '../affiliation-store.ts';
import { contentsOperations } from '../operations.ts';

describe('getAffiliation', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const get = (id: number | string) => t.call('GET', `/affiliations/${id}`, { as: 'reader' });

  it('200 answers it', async () => {
    const made = await affiliations.insert(t.db, { name: 'Shop', webSite: 'https://shop.example/' });
    expect(await get(made.id)).toMatchObject({ status: 200, typeName: 'Affiliation', data: made });
  });

  it('404 for an unknown one, and for one of another site', async () => {
    await affiliations.insert(t.otherDb, { name: 'Shop', webSite: 'https://shop.example/' });
    const foreign = await affiliations.insert(t.otherDb, { name: 'Shop', webSite: 'https://shop.example/' });
    for (const id of [foreign.id, 999])
      expect(await get(id)).toMatchObject({ status: 404, error: 'Affiliation not found' });
  });

  it('400 for an invalid id', async () => {
    expect((await get('x')).status).toBe(400);
  });
});
