import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';
import { insertThematic, thematics } from '../thematic-store.ts';

describe('modifyThematic', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const make = (name: string, idParentThematic: number | null = null) =>
    insertThematic(t.db, { idParentThematic, name, description: 'd', isEnabled: true });
  const modify = (body: unknown) => t.call('PUT', '/thematics', { body, as: 'editor' });

  it('200 changes what is given and nothing else', async () => {
    const parent = await make('a');
    const id = await make('b', parent);
    expect(await modify({ idThematic: id, name: 'c' })).toMatchObject({
      status: 200,
      data: true,
      typeName: 'Boolean',
    });
    const after = { idThematic: id, idParentThematic: parent, name: 'c', description: 'd', isEnabled: true };
    expect(await thematics.find(t.db, id)).toEqual(after);
    await modify({ idThematic: id, name: null, description: null, isEnabled: false });
    expect(await thematics.find(t.db, id)).toEqual({ ...after, isEnabled: false });
    await modify({ idThematic: id, idParentThematic: null, description: '' });
    expect(await thematics.find(t.db, id)).toMatchObject({ idParentThematic: null, description: '' });
  });

  it('200 removes the parent with 0', async () => {
    const id = await make('b', await make('a'));
    expect(await modify({ idThematic: id, idParentThematic: 0 })).toMatchObject({ status: 200, error: null });
    expect(await thematics.find(t.db, id)).toMatchObject({ name: 'b', idParentThematic: null });
  });

  it('404 for an unknown one', async () => {
    expect(await modify({ idThematic: 999, name: 'a' })).toMatchObject({
      status: 404,
      error: 'Thematic not found',
    });
  });

  it('409 for a parent that is itself or below it', async () => {
    const top = await make('top');
    const middle = await make('middle', top);
    const bottom = await make('bottom', middle);
    for (const idParentThematic of [top, middle, bottom])
      expect(await modify({ idThematic: top, idParentThematic })).toMatchObject({
        status: 409,
        error: expect.stringContaining('itself or below it'),
      });
    expect((await modify({ idThematic: bottom, idParentThematic: top })).status).toBe(200);
  });

  it('409 for one of two changes at once that would make a circle together', async () => {
    const [a, b] = [await make('a'), await make('b')];
    const replies = await Promise.all([
      modify({ idThematic: a, idParentThematic: b }),
      modify({ idThematic: b, idParentThematic: a }),
    ]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
  });

  it.each([
    ['no id', { name: 'a' }, 'idThematic: is required'],
    ['an empty name', { idThematic: 1, name: '' }, 'name: '],
    ['a blank name', { idThematic: 1, name: '  ' }, 'name: must not be blank'],
    ['a misspelt member', { idThematic: 1, isEnable: true }, 'isEnable: unknown member'],
  ])('400 %s', async (_, body, error) => {
    expect(await modify(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown parent', async () => {
    expect(await modify({ idThematic: 1, idParentThematic: 999 })).toMatchObject({
      status: 404,
      error: 'idParentThematic: Thematic not found',
    });
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', '/thematics', { body: { idThematic: 1 }, as: 'reader' })).status).toBe(403);
  });
});
