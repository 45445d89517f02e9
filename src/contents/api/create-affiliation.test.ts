import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('createAffiliation', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/affiliations', { body, as: 'editor' });

  it('200 answers it with its id', async () => {
    const reply = await create({ name: 'Shop', webSite: 'https://shop.example/é?x=1' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Affiliation' });
    expect(reply.data).toEqual({ id: 1, ...{ name: 'Shop', webSite: 'https://shop.example/é?x=1' } });
    const made = await create({ id: 99, ...{ name: 'Shop', webSite: 'https://shop.example/é?x=1' } });
    expect(made.data).toEqual({ id: 2, ...{ name: 'Shop', webSite: 'https://shop.example/é?x=1' } });
    expect((await t.call('GET', '/affiliations/2')).data).toEqual(made.data);
  });

  it.each([
    ['no name', {}, 'name: is required'],
    ['an empty name', { ...{ name: 'Shop', webSite: 'https://shop.example/' }, name: '' }, 'name: '],
    [
      'a line end in the name',
      { ...{ name: 'Shop', webSite: 'https://shop.example/' }, name: 'a\nb' },
      'name: holds characters',
    ],
    [
      'a misspelt member',
      { ...{ name: 'Shop', webSite: 'https://shop.example/' }, nmae: 'b' },
      'nmae: unknown member',
    ],
    ['no web site', { name: 'a' }, 'webSite: is required'],
    ['a script', { name: 'a', webSite: 'javascript:alert(1)' }, 'webSite: must be an http or https address'],
    [
      'a relative address',
      { name: 'a', webSite: '//shop.example' },
      'webSite: must be an http or https address',
    ],
    ['a line end', { name: 'a', webSite: 'https://a.fr/\n' }, 'webSite: holds characters'],
  ])('400 %s', async (_, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('403 for a reader', async () => {
    expect(
      (
        await t.call('POST', '/affiliations', {
          body: { name: 'Shop', webSite: 'https://shop.example/' },
          as: 'reader',
        })
      ).status,
    ).toBe(403);
  });
});
