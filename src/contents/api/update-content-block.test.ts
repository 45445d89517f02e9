import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('updateContentBlock', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const update = (contentKey: string, contentValue: unknown) =>
    t.call('PUT', '/content-blocks', { body: { contentKey, contentValue }, as: 'editor' });
  const read = async (contentKey: string) =>
    (await t.call('GET', '/content-blocks', { query: { contentKey }, as: 'reader' })).data;

  it('200 makes a block, then changes it whatever the case of its key', async () => {
    expect(await update('Promotion', '<p>Ten</p>')).toMatchObject({
      status: 200,
      data: { contentKey: 'Promotion', contentValue: '<p>Ten</p>' },
      typeName: 'ContentBlock',
    });
    expect((await update('promotion', '')).data).toEqual({ contentKey: 'Promotion', contentValue: '' });
    expect(await read('PROMOTION')).toEqual({ contentKey: 'Promotion', contentValue: '' });
  });

  it('200 for a block that names one which does not exist yet', async () => {
    expect((await update('early', '[[BLOC.later]]')).status).toBe(200);
  });

  it('422 for blocks that would be inside of themselves, and nothing is changed', async () => {
    await update('a', 'A [[BLOC.b]]');
    await update('b', 'B [[bloc.C]]');
    expect(await update('c', 'C [[BLOC.a]]')).toMatchObject({
      status: 422,
      error: 'contentValue: the content block at [[bloc.C]] contains itself',
    });
    expect((await t.call('GET', '/content-blocks', { query: { contentKey: 'c' } })).status).toBe(404);
  });

  it('422 for blocks deeper than four in each other', async () => {
    await update('d5', 'deepest');
    for (const n of [4, 3, 2]) expect((await update(`d${n}`, `[[BLOC.d${n + 1}]]`)).status).toBe(200);
    expect(await update('d1', '[[BLOC.d2]]')).toMatchObject({
      status: 422,
      error: 'contentValue: content blocks nest at most 4 deep, and [[BLOC.d5]] is deeper',
    });
  });

  it.each([
    ['an empty key', '', 'contentKey: '],
    ['a key that ends a tag', 'a]]', 'contentKey: '],
    ['a key with a default', 'a|b', 'contentKey: '],
    ['a key of 101 characters', 'a'.repeat(101), 'contentKey: '],
  ])('400 for %s', async (_, key, error) => {
    expect(await update(key, 'x')).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('400 for an invalid value', async () => {
    expect(await update('a', null)).toMatchObject({ status: 400 });
    expect(await update('a', 'x'.repeat(500_001))).toMatchObject({ status: 400 });
  });

  const create = async (contentKey: string, contentValue: string, version = '*') =>
    t.server.inject({
      method: 'PUT',
      url: '/v1/demo/content-blocks',
      headers: { authorization: t.token('editor'), 'if-none-match': version },
      payload: { contentKey, contentValue },
    });

  it('412 with If-None-Match for a key that has a block, which stays as it is', async () => {
    const made = await create('Fresh', 'mine');
    expect(made.statusCode).toBe(200);
    const late = await create('fresh', 'theirs');
    expect([late.statusCode, late.headers['x-error-code']]).toEqual([412, 'changed']);
    expect(late.json().error).toBe('The record already exists; read it, and change it with If-Match');
    expect(await read('fresh')).toMatchObject({ contentValue: 'mine' });
    const quoted = await create('fresh', 'theirs', '"*"');
    expect([quoted.statusCode, quoted.json().error]).toEqual([
      400,
      'If-None-Match: must be * without quotes, or left out',
    ]);
    expect(await read('fresh')).toMatchObject({ contentValue: 'mine' });
    // The response of a creation has the version for the next change.
    const body = { contentKey: 'fresh', contentValue: 'mine again' };
    const ifMatch = String(made.headers.etag);
    expect(await t.call('PUT', '/content-blocks', { body, ifMatch })).toMatchObject({ status: 200 });
  });

  it('of eight concurrent creations of one key, one succeeds, also beside changes of any version', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => create('race', String(i))));
    expect(made.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(7).fill(412)]);
    const winner = made.find(({ statusCode }) => statusCode === 200)!;
    expect(await read('race')).toEqual(winner.json().data);
    const [created] = await Promise.all([create('beside', 'mine'), update('beside', 'theirs')]);
    // Whoever was first: the unconditional change is not lost.
    expect(created!.statusCode).toBeOneOf([200, 412]);
    expect(await read('beside')).toMatchObject({ contentValue: 'theirs' });
  });

  it('two at once that would make a circle leave none in a message', async () => {
    await update('left', '1');
    await update('right', '2');
    await Promise.all([update('left', '[[BLOC.right]]'), update('right', '[[BLOC.left]]')]);
    // Whichever way they went: anyone who places them ends.
    expect((await update('both', '[[BLOC.left]][[BLOC.right]]')).status).toBeOneOf([200, 422]);
  });
});
