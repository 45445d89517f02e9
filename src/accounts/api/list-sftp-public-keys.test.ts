import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSshKey } from '../../files/host-key.ts';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('listSftpPublicKeys', () => {
  let t: TestApp;
  const path = '/admin/v1/sites/shop/sftp-account/public-keys';
  beforeAll(async () => {
    t = await testApp();
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
  });
  afterAll(() => t.close());

  it('200 shows each with its fingerprint and comment, in the order of adding', async () => {
    expect((await t.call('GET', path)).data).toEqual([]);
    const keys = [newSshKey().public, newSshKey().public].map((line) =>
      line.split(' ').slice(0, 2).join(' '),
    );
    for (const [i, key] of keys.entries())
      await t.call('POST', path, { body: { publicKey: `${key}  n ${i}` } });
    const reply = await t.call('GET', path);
    expect(reply).toMatchObject({ status: 200, typeName: 'SftpPublicKey[]' });
    expect(reply.data).toEqual(
      keys.map((publicKey, i) => ({
        publicKey,
        type: 'ssh-ed25519',
        fingerprint: expect.stringMatching(/^SHA256:.{43}$/),
        comment: `n ${i}`,
      })),
    );
  });

  it('404 for an unknown site, 401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', path.replace('shop', 'nowhere'))).error).toBe('Site not found');
    expect((await t.call('GET', path, { as: null })).status).toBe(401);
    expect((await t.call('GET', path, { as: 'sender' })).status).toBe(403);
  });
});
