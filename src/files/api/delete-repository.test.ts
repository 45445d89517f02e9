import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('deleteRepository', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const create = async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/repositories', { body: elsewhere.access });
    return (made.data as { id: number }).id;
  };
  const remove = (id: number, site = 'demo') =>
    t.call('DELETE', `/admin/v1/sites/${site}/repositories/${id}`);

  it('200 once, and its secrets no longer exist; 404 afterwards and for another site', async () => {
    const id = await create();
    expect((await remove(id, 'other')).status).toBe(404);
    expect(await remove(id)).toMatchObject({ status: 200, data: true });
    expect(await remove(id)).toMatchObject({ status: 404, error: 'Repository not found' });
    expect(
      await t.db.one(sql`select password, private_key from ${t.db.t.repository} where id = ${id}`),
    ).toEqual({
      password: null,
      private_key: null,
    });
    expect((await t.call('GET', '/admin/v1/sites/demo/repositories')).data).toEqual([]);
  });

  it('409 for the default one, until another is chosen', async () => {
    const id = await create();
    const choose = (idRepository: number) =>
      t.call('PUT', '/admin/v1/sites/demo/default-repository', { body: { idRepository } });
    await choose(id);
    expect(await remove(id)).toMatchObject({
      status: 409,
      error: 'The repository is the default one of the site; choose another first (0 for its own folder)',
    });
    await choose(0);
    expect((await remove(id)).status).toBe(200);
  });

  it('400 for 0, 401 without a token, 403 for a sender', async () => {
    expect((await remove(0)).status).toBe(400);
    const path = '/admin/v1/sites/demo/repositories/1';
    expect((await t.call('DELETE', path, { as: null })).status).toBe(401);
    expect((await t.call('DELETE', path, { as: 'sender' })).status).toBe(403);
  });
});
