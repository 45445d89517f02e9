import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSshKey } from '../../files/host-key.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { siteOfLogin } from '../sftp-account-store.ts';

describe('removeSftpPublicKey', () => {
  let t: TestApp;
  const path = '/admin/v1/sites/shop/sftp-account/public-keys';
  beforeAll(async () => {
    t = await testApp();
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
  });
  afterAll(() => t.close());
  /** The site that a key signs in to, as the SFTP server asks. */
  const siteOfKey = (publicKey: string, login = 'shop') => {
    const key = Buffer.from(publicKey.split(' ')[1]!, 'base64');
    return siteOfLogin(t.app.control, t.app.secrets, login, { kind: 'key', key });
  };
  const remove = (fingerprint: string) => t.call('DELETE', path, { query: { fingerprint } });

  it('200 once, and the key is no longer let in; 404 afterwards', async () => {
    const [one, other] = [newSshKey().public, newSshKey().public];
    const made = await t.call('POST', path, { body: { publicKey: one } });
    await t.call('POST', path, { body: { publicKey: other } });
    const { fingerprint } = made.data as { fingerprint: string };
    expect(await remove(fingerprint)).toMatchObject({ status: 200, data: true });
    expect([await siteOfKey(one), await siteOfKey(other)]).toEqual([undefined, expect.any(Number)]);
    expect(await remove(fingerprint)).toMatchObject({ status: 404, error: 'Public key not found' });
  });

  it('400 without a fingerprint, 401 without a token, 403 for a sender', async () => {
    expect((await t.call('DELETE', path)).error).toContain('fingerprint: is required');
    expect((await t.call('DELETE', path, { as: null })).status).toBe(401);
    expect((await t.call('DELETE', path, { as: 'sender' })).status).toBe(403);
  });
});
