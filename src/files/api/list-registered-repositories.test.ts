import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';

describe('listRegisteredRepositories', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  it("200 lists a site's own ones by id, without their secrets", async () => {
    const path = '/admin/v1/sites/demo/repositories';
    expect((await t.call('GET', path)).data).toEqual([]);
    const made: unknown[] = [];
    for (const subfolder of ['a', 'b'])
      made.push((await t.call('POST', path, { body: elsewhere.at(subfolder) })).data);
    const reply = await t.call('GET', path);
    expect(reply).toMatchObject({ status: 200, data: made, typeName: 'RegisteredRepository[]' });
    expect(JSON.stringify(reply)).not.toContain('secret');
    expect((await t.call('GET', '/admin/v1/sites/other/repositories')).data).toEqual([]);
  });

  it('404 for an unknown site; 401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/sites/nowhere/repositories')).error).toBe('Site not found');
    const path = '/admin/v1/sites/demo/repositories';
    expect((await t.call('GET', path, { as: null })).status).toBe(401);
    expect((await t.call('GET', path, { as: 'sender' })).status).toBe(403);
  });
});
