import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSshKey } from '../../files/host-key.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { siteOfLogin } from '../sftp-account-store.ts';

describe('addSftpPublicKey', () => {
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
  const add = (publicKey: string, as?: null | 'sender') =>
    t.call('POST', path, { body: { publicKey }, ...(as !== undefined && { as }) });
  const lines = async () =>
    ((await t.call('GET', path)).data as { publicKey: string }[]).map((one) => one.publicKey);

  it('200 lets the key in to this site only, once however often it is added', async () => {
    const key = newSshKey().public;
    expect(await siteOfKey(key)).toBeUndefined();
    const replies = await Promise.all([1, 2, 3, 4].map(() => add(`${key} ada@laptop`)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies[0]!.data).toMatchObject({
      type: 'ssh-ed25519',
      publicKey: key.split(' ').slice(0, 2).join(' '),
      fingerprint: expect.stringMatching(/^SHA256:.{43}$/),
    });
    expect(await lines()).toHaveLength(1);
    expect(await siteOfKey(key)).toBe((await t.app.site('shop'))!.site.id);
    expect(await siteOfKey(key, 'demo')).toBeUndefined();
    expect(await siteOfKey(newSshKey().public)).toBeUndefined();
  });

  it.each(['', 'ssh-ed25519', 'ssh-ed25519 AAAA', 'SHA256:abc'])('400 for %j', async (text) => {
    expect(await add(text)).toMatchObject({ status: 400, error: expect.stringContaining('publicKey: ') });
  });

  it('400 for a private key, which is not repeated', async () => {
    const { error, status } = await add(newSshKey().private);
    expect({ error, status }).toEqual({
      status: 400,
      error: expect.stringContaining('publicKey: holds characters'),
    });
    expect(error).not.toContain('PRIVATE');
  });

  it('409 for the fifty-first', async () => {
    const replies = await Promise.all(Array.from({ length: 52 }, () => add(newSshKey().public)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(await lines()).toHaveLength(50);
  });

  it('404 for an unknown site, 401 without a token, 403 for a sender', async () => {
    const publicKey = newSshKey().public;
    const nowhere = path.replace('shop', 'nowhere');
    expect((await t.call('POST', nowhere, { body: { publicKey } })).error).toBe('Site not found');
    expect((await add(publicKey, null)).status).toBe(401);
    expect((await add(publicKey, 'sender')).status).toBe(403);
  });
});
