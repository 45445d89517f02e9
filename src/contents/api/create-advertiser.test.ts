import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('createAdvertiser', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/advertisers', { body, as: 'editor' });

  it('200 answers it with its id', async () => {
    const reply = await create({ name: 'Shop' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Advertiser' });
    expect(reply.data).toEqual({ id: 1, name: 'Shop', sector: 'NoSector' });
    const made = await create({ id: 99, ...{ name: 'Shop', sector: 'Travel' } });
    expect(made.data).toEqual({ id: 2, ...{ name: 'Shop', sector: 'Travel' } });
    expect((await t.call('GET', '/advertisers/2')).data).toEqual(made.data);
  });

  it.each([
    ['no name', {}, 'name: is required'],
    ['an empty name', { ...{ name: 'Shop', sector: 'Travel' }, name: '' }, 'name: '],
    [
      'a line end in the name',
      { ...{ name: 'Shop', sector: 'Travel' }, name: 'a\nb' },
      'name: holds characters',
    ],
    ['a misspelt member', { ...{ name: 'Shop', sector: 'Travel' }, nmae: 'b' }, 'nmae: unknown member'],
    ['an unknown sector', { name: 'a', sector: 'Nope' }, 'sector: must be one of'],
  ])('400 %s', async (_, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('403 for a reader', async () => {
    expect(
      (await t.call('POST', '/advertisers', { body: { name: 'Shop', sector: 'Travel' }, as: 'reader' }))
        .status,
    ).toBe(403);
  });
});
