import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('getSftpAccount', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 returns login and password to an administrator', async () => {
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
    const reply = await t.call('GET', '/admin/v1/sites/shop/sftp-account');
    expect(reply.status).toBe(200);
    expect(reply.data).toEqual({ login: 'shop', password: expect.any(String), publicKeys: [] });
    const stored = await t.app.control.pool.query('select password from facteur.sftp_account');
    const { password } = reply.data as { password: string };
    expect(stored.rows.some((row) => row.password.toString('latin1').includes(password))).toBe(false);
  });

  it('404 for an unknown site', async () => {
    expect((await t.call('GET', '/admin/v1/sites/nowhere/sftp-account')).error).toBe('Site not found');
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/sites/demo/sftp-account', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/sites/demo/sftp-account', { as: 'sender' })).status).toBe(403);
  });
});
