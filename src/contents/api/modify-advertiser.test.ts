import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { advertisers } from '../advertiser-store.ts';
import { contentsOperations } from '../operations.ts';

describe('modifyAdvertiser', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const modify = (body: unknown) => t.call('PUT', '/advertisers', { body, as: 'editor' });

  it('200 changes what is given and nothing else', async () => {
    const made = await advertisers.insert(t.db, { name: 'Shop', sector: 'Travel' as const });
    const reply = await modify({ id: made.id, ...{ sector: 'Food' } });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    const after = { ...made, ...{ sector: 'Food' } };
    expect(await advertisers.find(t.db, made.id)).toEqual(after);
    await modify({ id: made.id, ...{ name: null, sector: null } });
    expect(await advertisers.find(t.db, made.id)).toEqual(after);
    await modify({ ...after, name: 'New' });
    expect(await advertisers.find(t.db, made.id)).toEqual({ ...after, name: 'New' });
  });

  it.each([
    ['no id', { name: 'a' }, 'id: is required'],
    ['an empty name', { id: 1, name: '' }, 'name: '],
    ['a misspelt member', { id: 1, nmae: 'a' }, 'nmae: unknown member'],
    ['an unknown sector', { id: 1, name: 'a', sector: 'Nope' }, 'sector: must be one of'],
  ])('400 %s', async (_, body, error) => {
    expect(await modify(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown one', async () => {
    expect(await modify({ id: 999 })).toMatchObject({ status: 404, error: 'Advertiser not found' });
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', '/advertisers', { body: { id: 1 }, as: 'reader' })).status).toBe(403);
  });
});
