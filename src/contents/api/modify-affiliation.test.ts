import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { affiliations } from '../affiliation-store.ts';
import { contentsOperations } from '../operations.ts';

describe('modifyAffiliation', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const modify = (body: unknown) => t.call('PUT', '/affiliations', { body, as: 'editor' });

  it('200 changes what is given and nothing else', async () => {
    const made = await affiliations.insert(t.db, { name: 'Shop', webSite: 'https://shop.example/' });
    const reply = await modify({ id: made.id, ...{ webSite: 'http://b.example/' } });
    expect(reply).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    const after = { ...made, ...{ webSite: 'http://b.example/' } };
    expect(await affiliations.find(t.db, made.id)).toEqual(after);
    await modify({ id: made.id, ...{ name: null, webSite: null } });
    expect(await affiliations.find(t.db, made.id)).toEqual(after);
    await modify({ ...after, name: 'New' });
    expect(await affiliations.find(t.db, made.id)).toEqual({ ...after, name: 'New' });
  });

  it.each([
    ['no id', { name: 'a' }, 'id: is required'],
    ['an empty name', { id: 1, name: '' }, 'name: '],
    ['a misspelt member', { id: 1, nmae: 'a' }, 'nmae: unknown member'],
    [
      'a script',
      { id: 1, name: 'a', webSite: 'javascript:alert(1)' },
      'webSite: must be an http or https address',
    ],
    [
      'a relative address',
      { id: 1, name: 'a', webSite: '//shop.example' },
      'webSite: must be an http or https address',
    ],
    ['a line end', { id: 1, name: 'a', webSite: 'https://a.fr/\n' }, 'webSite: holds characters'],
  ])('400 %s', async (_, body, error) => {
    expect(await modify(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown one', async () => {
    expect(await modify({ id: 999 })).toMatchObject({ status: 404, error: 'Affiliation not found' });
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', '/affiliations', { body: { id: 1 }, as: 'reader' })).status).toBe(403);
  });
});
