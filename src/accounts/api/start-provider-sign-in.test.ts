import { afterEach, describe, expect, it } from 'vitest';
import { type AccountsProvider, accountsProvider } from '../../testing/accounts-provider.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { otherSignInsOfAddress } from '../sign-in.ts';

describe('startProviderSignIn', () => {
  let t: TestApp;
  let provider: AccountsProvider | undefined;
  afterEach(async () => {
    await t.close();
    await provider?.close();
    provider = undefined;
  });

  const start = () => t.call('POST', '/session/provider/start', { as: null, site: null });

  it('200 names where to sign in, with a state, a nonce and a challenge of its own each time', async () => {
    provider = await accountsProvider({}, 'http://mail.test/console/oidc');
    t = await testApp({ config: { oidc: provider.config } });
    const urls = [await start(), await start()].map(({ data }) => new URL((data as { url: string }).url));
    expect(urls.map(({ origin }) => origin)).toEqual([provider.config.issuer, provider.config.issuer]);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = urls.map(({ searchParams }) => searchParams.get(name));
      expect(values[0]).toMatch(/^[\w-]{43}$/);
      expect(values[0]).not.toBe(values[1]);
    }
    expect(urls[0]!.searchParams.get('redirect_uri')).toBe('http://mail.test/console/oidc');
  });

  it('404 when no provider is configured', async () => {
    t = await testApp();
    expect(await start()).toMatchObject({
      status: 404,
      error: expect.stringContaining('FACTEUR_OIDC_ISSUER'),
    });
  });

  it('503 while the provider does not answer, and 200 again when it does', async () => {
    provider = await accountsProvider({}, 'http://mail.test/console/oidc');
    const oidc = { ...provider.config, issuer: 'http://127.0.0.1:9' };
    t = await testApp({ config: { oidc } });
    expect(await start()).toMatchObject({
      status: 503,
      error: expect.stringContaining('The provider of accounts does not answer as expected'),
    });
    oidc.issuer = provider.config.issuer;
    expect((await start()).status).toBe(200);
  });

  it('503 when the provider says that it is another one', async () => {
    provider = await accountsProvider({}, 'http://mail.test/console/oidc');
    const issuer = provider.config.issuer.replace('127.0.0.1', 'localhost');
    t = await testApp({ config: { oidc: { ...provider.config, issuer } } });
    expect((await start()).status).toBe(503);
  });

  it('429 after many attempts from one address', async () => {
    t = await testApp();
    for (let i = 0; i < otherSignInsOfAddress; i++) expect((await start()).status).toBe(404);
    expect((await start()).status).toBe(429);
  });
});
