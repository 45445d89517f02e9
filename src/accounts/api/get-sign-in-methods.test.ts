import { describe, expect, it } from 'vitest';
import { testApp } from '../../testing/app.ts';
import { createRoute } from '../route-store.ts';

const provider = { issuer: 'https://accounts.example', clientId: 'a', clientSecret: 'b', name: 'Verger' };

describe('getSignInMethods', () => {
  it.each([
    ['https://mail.example', true],
    ['http://localhost:3000', true],
    ['http://mail.example', false],
    ['https://192.0.2.1', false],
    ['https://[2001:db8::1]', false],
  ])('200 says at %s whether passkeys work: %s', async (publicUrl, passkeys) => {
    const t = await testApp({ publicUrl });
    try {
      const reply = await t.call('GET', '/session/methods', { as: null, site: null });
      expect(reply).toMatchObject({ status: 200, data: { passkeys, provider: null } });
    } finally {
      await t.close();
    }
  });

  it('200 says whether links for a new password leave: with a relay of a site, or of the configuration', async () => {
    const t = await testApp();
    const links = async () => (await t.call('GET', '/session/methods', { as: null, site: null })).data;
    try {
      expect(await links()).toMatchObject({ passwordLinks: false });
      await createRoute(t.app.control, t.app.secrets, t.db.site.id, {
        host: 'relay.example',
        port: 25,
        tls: 'none',
      });
      expect(await links()).toMatchObject({ passwordLinks: true });
    } finally {
      await t.close();
    }
    const other = await testApp({ config: { smtpUrl: 'smtp://relay.example' } });
    try {
      const reply = await other.call('GET', '/session/methods', { as: null, site: null });
      expect(reply.data).toMatchObject({ passwordLinks: true });
    } finally {
      await other.close();
    }
  });

  it('403 for a page of another origin', async () => {
    const t = await testApp();
    try {
      const headers = { origin: 'https://evil.example' };
      expect((await t.server.inject({ url: '/v1/session/methods', headers })).statusCode).toBe(403);
    } finally {
      await t.close();
    }
  });

  it('200 names the accounts of the company, and no more of the provider', async () => {
    const t = await testApp({ config: { oidc: provider } });
    try {
      const { data } = await t.call('GET', '/session/methods', { as: null, site: null });
      expect(data).toMatchObject({ provider: { name: 'Verger' } });
      expect(JSON.stringify(data)).not.toContain('accounts.example');
    } finally {
      await t.close();
    }
  });
});
