import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertDirectory } from '../directory-store.ts';
import { contentsOperations } from '../operations.ts';

describe('updatePictureDirectory', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object): Promise<number> =>
    (await t.call('POST', '/pictures/directories', { body })).data;
  const rename = (body: object) => t.call('PUT', '/pictures/directories', { body, as: 'editor' });

  it('200 gives it the name and leaves the rest', async () => {
    const idParent = await create({ name: 'Parent', dirType: 'Campaign' });
    const id = await create({ name: 'Ete', dirType: 'Campaign', idParent });
    for (const name of ['Été', ' Hiver ', 'Hiver']) {
      expect(await rename({ id, name })).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    }
    expect((await t.call('GET', `/directories/${id}`)).data).toEqual({
      id,
      name: 'Hiver',
      isSystem: false,
      idParent,
      dirType: 'Campaign',
    });
  });

  it.each([{ isSystem: true }, { dirType: 'Image' }])('400 for the change %j', async (change) => {
    const id = await create({ name: 'Still', dirType: 'Campaign' });
    const { status, error } = await rename({ id, name: 'Other', ...change });
    const [member] = Object.keys(change);
    expect([status, error]).toEqual([400, `${member}: cannot be changed; omit it or send its current value`]);
    await t.db.run(sql`delete from ${t.db.t.directory} where id = ${id}`);
  });

  it('200 moves it with what is in it, and to the top', async () => {
    const [to, id] = [await create({ name: 'To' }), await create({ name: 'Moved' })];
    const inside = await create({ name: 'Inside', idParent: id });
    const parentOf = async (one: number) =>
      (await t.call('GET', `/directories/${one}`)).data as { idParent: number };
    expect((await rename({ id, name: 'Moved', idParent: to })).status).toBe(200);
    expect(await parentOf(id)).toMatchObject({ name: 'Moved', idParent: to });
    expect(await parentOf(inside)).toMatchObject({ idParent: id });
    expect((await rename({ id, name: 'Moved too' })).status).toBe(200);
    expect(await parentOf(id)).toMatchObject({ name: 'Moved too', idParent: to });
    expect((await rename({ id, name: 'Moved too', idParent: 0 })).status).toBe(200);
    expect(await parentOf(id)).toMatchObject({ idParent: null });
  });

  it('409 for a parent inside it, 422 for one of another type or too deep, 404 for an unknown one', async () => {
    const id = await create({ name: 'Circle' });
    const inside = await create({ name: 'Inner', idParent: id });
    expect(await rename({ id, name: 'Circle', idParent: inside })).toMatchObject({
      status: 409,
      error: `idParent: directory ${inside} is directory ${id} itself or inside it; choose another parent`,
    });
    const other = await create({ name: 'Other type', dirType: 'Campaign' });
    expect((await rename({ id, name: 'Circle', idParent: other })).status).toBe(422);
    let deep = await create({ name: 'Deep 1' });
    for (let level = 2; level <= 7; level++) deep = await create({ name: `Deep ${level}`, idParent: deep });
    expect(await rename({ id, name: 'Circle', idParent: deep })).toMatchObject({
      status: 422,
      error: 'idParent: directories are at most 8 levels deep',
    });
    expect((await rename({ id: inside, name: 'Inner', idParent: deep })).status).toBe(200);
    expect(await rename({ id, name: 'Circle', idParent: 99_999 })).toMatchObject({
      status: 404,
      error: expect.stringContaining('idParent'),
    });
  });

  it('409 for the name of one beside it', async () => {
    const first = await create({ name: 'First' });
    const id = await create({ name: 'Second' });
    expect(await rename({ id, name: 'FIRST' })).toMatchObject({
      status: 409,
      error: `name: directory ${first} has this name in the same place`,
    });
  });

  it('422 for one of the system', async () => {
    const id = await insertDirectory(t.db, { name: 'System', dirType: 'Image', isSystem: true });
    expect(await rename({ id, name: 'Mine' })).toMatchObject({
      status: 422,
      error: `Directory ${id} is a system directory and cannot be renamed or moved`,
    });
  });

  it('404 for an unknown one', async () => {
    expect(await rename({ id: 99_999, name: 'x' })).toMatchObject({
      status: 404,
      error: 'Directory not found',
    });
  });

  it.each([
    [{ id: 1 }, 'name: is required'],
    [{ name: 'x' }, 'id: is required'],
    [{ id: 1, name: ' ' }, 'name: must not be blank'],
  ])('400 for %j', async (body, error) => {
    expect(await rename(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });
});
