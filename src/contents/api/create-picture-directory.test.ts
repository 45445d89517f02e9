import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type DirectoryType, directoryTypes, maxDepth, maxDirectories } from '../directory.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('createPictureDirectory', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/pictures/directories', { body, as: 'editor' });
  const read = async (id: number) => (await t.call('GET', `/directories/${id}`)).data;

  it('200 answers the id of a directory of pictures', async () => {
    const made = await create({ name: '  Été  ' });
    expect(made).toMatchObject({ status: 200, typeName: 'Int32' });
    expect(await read(made.data)).toEqual({
      id: made.data,
      name: 'Été',
      isSystem: false,
      idParent: null,
      dirType: 'Image',
    });
  });

  it.each(directoryTypes)('200 of the type %s, listed and found by its name', async (dirType) => {
    const name = `One of ${dirType}`;
    const { data: id } = await create({ name, isSystem: false, idParent: null, dirType });
    const listed = await t.call('GET', `/directories/types/${dirType}`);
    expect(listed.data).toContainEqual({ id, name, isSystem: false, idParent: null, dirType });
    const found = await t.call('GET', '/directories/by-name', { query: { name } });
    expect(found.data).toMatchObject({ id, dirType });
  });

  it('200 below another of its type', async () => {
    const { data: idParent } = await create({ name: 'Parent', dirType: 'Campaign' });
    const { data: id } = await create({ name: 'Child', idParent, dirType: 'Campaign' });
    expect(await read(id)).toMatchObject({ name: 'Child', idParent });
  });

  it('200 at the top with the parent 0, where its name is then taken', async () => {
    const { status, data } = await create({ name: 'Zero', idParent: 0 });
    expect(status).toBe(200);
    expect(await read(data)).toMatchObject({ name: 'Zero', idParent: null });
    expect((await create({ name: 'zero' })).status).toBe(409);
  });

  it('409 for a name that its place has, whatever its case and accents; another place or type is free', async () => {
    const { data: first } = await create({ name: 'Soldes', dirType: 'Filter' });
    expect(await create({ name: 'SOLDÉS', dirType: 'Filter' })).toMatchObject({
      status: 409,
      error: `name: directory ${first} has this name in the same place`,
    });
    expect((await create({ name: 'Soldes', dirType: 'Filter', idParent: first })).status).toBe(200);
    expect((await create({ name: 'Soldes', dirType: 'Filter', idParent: first })).status).toBe(409);
    expect((await create({ name: 'Soldes', dirType: 'Config' })).status).toBe(200);
  });

  it('one of several at once gets the name', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'At once' })));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it('422 below one of another type, deeper than the last, and for one of the system', async () => {
    let { data: idParent } = await create({ name: 'Deep', dirType: 'Link' });
    expect(await create({ name: 'x', idParent })).toMatchObject({
      status: 422,
      error: `idParent: directory ${idParent} is of type Link, not Image`,
    });
    for (let depth = 2; depth <= maxDepth; depth++)
      ({ data: idParent } = await create({ name: 'Deep', idParent, dirType: 'Link' }));
    expect(await create({ name: 'Deep', idParent, dirType: 'Link' })).toMatchObject({
      status: 422,
      error: 'idParent: directories are at most 8 levels deep',
    });
    expect(await create({ name: 'System', isSystem: true })).toMatchObject({
      status: 422,
      error: 'isSystem: must be false; only the service creates system directories',
    });
  });

  it('404 for an unknown parent and one of another site', async () => {
    const dirType: DirectoryType = 'Image';
    let foreign = 0;
    for (let i = 0; i < 50; i++) foreign = await insertDirectory(t.otherDb, { name: `f${i}`, dirType });
    for (const idParent of [foreign, 99_999]) {
      expect(await create({ name: 'x', idParent })).toMatchObject({
        status: 404,
        error: 'idParent: Directory not found',
      });
    }
  });

  it.each([
    [{}, 'name: is required'],
    [{ name: '' }, 'name: must have at least 1'],
    [{ name: '   ' }, 'name: must not be blank'],
    [{ name: 'a\nb' }, 'name: holds characters'],
    [{ name: 'x'.repeat(256) }, 'name: must have at most 255'],
    [{ name: 'x', dirType: 'Picture' }, 'dirType: must be one of Unknown, Campaign'],
    [{ name: 'x', idParent: -1 }, 'idParent: must be at least 0'],
    [{ name: 'x', id: 1 }, 'id: unknown member'],
  ])('400 for %j', async (body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('409 when the site has as many as it may have', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.directory} (name, dir_type)
      select 'n' || n, 'URL' from generate_series(1, ${maxDirectories}) n`);
    expect(await create({ name: 'One too many' })).toMatchObject({
      status: 409,
      error: 'A site may have at most 10000 directories',
    });
  });
});
