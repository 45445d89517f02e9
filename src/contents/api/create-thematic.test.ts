import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';
import type { Thematic } from '../thematic.ts';

describe('createThematic', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/thematics', { body, as: 'editor' });

  it('200 answers the thematic with its id, enabled unless said otherwise', async () => {
    const reply = await create({ name: 'Voyage' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Thematic' });
    expect(reply.data).toEqual({
      idThematic: 1,
      idParentThematic: null,
      name: 'Voyage',
      description: '',
      isEnabled: true,
    });
    const child = { name: 'Mer', description: 'Bord de\nmer', isEnabled: false, idParentThematic: 1 };
    const made = await create({ ...child, idThematic: 0 });
    expect(made.data).toEqual({ idThematic: 2, ...child });
    expect((await t.call('GET', '/thematics/2')).data).toEqual(made.data);
  });

  it('200 at the top with the parent 0, as with none', async () => {
    const top: Thematic = (await create({ name: 'Top', idParentThematic: 0 })).data;
    expect(top).toMatchObject({ name: 'Top', idParentThematic: null });
    expect((await t.call('GET', `/thematics/${top.idThematic}`)).data).toEqual(top);
  });

  it.each([
    ['no name', {}, 'name: is required'],
    ['an empty name', { name: '' }, 'name: '],
    ['a name of 256 characters', { name: 'n'.repeat(256) }, 'name: must have at most 255'],
    ['a line end in the name', { name: 'a\nb' }, 'name: holds characters'],
    ['NUL in the description', { name: 'a', description: 'a\0' }, 'description: holds characters'],
    ['a blank name', { name: '  ' }, 'name: must not be blank'],
    ['a misspelt member', { name: 'a', nmae: 'b' }, 'nmae: unknown member'],
    ['a text for isEnabled', { name: 'a', isEnabled: 'true' }, 'isEnabled: must be a boolean'],
  ])('400 %s', async (_, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown parent', async () => {
    expect(await create({ name: 'a', idParentThematic: 99 })).toMatchObject({
      status: 404,
      error: 'idParentThematic: Thematic not found',
    });
  });

  it('403 for a reader', async () => {
    expect((await t.call('POST', '/thematics', { body: { name: 'a' }, as: 'reader' })).status).toBe(403);
  });
});
