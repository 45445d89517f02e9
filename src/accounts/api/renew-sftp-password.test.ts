import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { siteOfLogin } from '../sftp-account-store.ts';

describe('renewSftpPassword', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
  });
  afterAll(() => t.close());
  const account = '/admin/v1/sites/shop/sftp-account';
  const siteOf = (password: string) =>
    siteOfLogin(t.app.control, t.app.secrets, 'shop', { kind: 'password', password });

  it('200 returns the new one, and the old one is no longer accepted', async () => {
    const { password: old } = (await t.call('GET', account)).data as { password: string };
    const reply = await t.call('POST', `${account}/password`);
    expect(reply).toMatchObject({ status: 200, data: { login: 'shop', publicKeys: [] } });
    const { password } = reply.data as { password: string };
    expect(password).toMatch(/^[\w-]{24}$/);
    expect([await siteOf(old), await siteOf(password)]).toEqual([undefined, expect.any(Number)]);
    expect((await t.call('GET', account)).data).toEqual(reply.data);
  });

  it('404 for an unknown site, 401 without a token, 403 for a sender', async () => {
    const nowhere = '/admin/v1/sites/nowhere/sftp-account/password';
    expect((await t.call('POST', nowhere)).error).toBe('Site not found');
    expect((await t.call('POST', `${account}/password`, { as: null })).status).toBe(401);
    expect((await t.call('POST', `${account}/password`, { as: 'sender' })).status).toBe(403);
  });
});
