import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccountsProvider, accountsProvider } from '../../testing/accounts-provider.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson } from '../../testing/make-session.ts';
import { oidcAttemptMs } from '../oidc.ts';
import { updateUser } from '../user-store.ts';

describe('finishProviderSignIn', () => {
  let t: TestApp;
  let provider: AccountsProvider;
  const accounts: Record<string, { email: string; isVerified: boolean }> = {};
  beforeEach(async () => {
    provider = await accountsProvider(accounts, 'http://mail.test/console/oidc');
    t = await testApp({ config: { oidc: provider.config } });
  });
  afterEach(async () => {
    await t.close();
    await provider.close();
  });

  const start = async () => {
    const { data } = await t.call('POST', '/session/provider/start', { as: null, site: null });
    return data as { url: string; secret: string };
  };
  const finish = (body: { secret: string; parameters: string }) =>
    t.call('POST', '/session/provider', { as: null, site: null, body });
  const signIn = async (subject: string) => {
    const { url, secret } = await start();
    return finish({ secret, parameters: await provider.signIn(url, subject) });
  };
  const notOurs = { status: 422, error: 'parameters: they do not belong to this sign-in; begin again' };

  it('200 signs in the user of the verified address, in whatever case, with a session that works', async () => {
    const user = await makePerson(t, { sites: [{ name: 'demo', role: 'editor' }] });
    accounts.ada = { email: user.email.toUpperCase(), isVerified: true };
    const reply = await signIn('ada');
    expect(reply).toMatchObject({ status: 200, typeName: 'Me', data: { user: { id: user.id } } });
    const session = /^facteur_session=([\w-]{43}); /.exec(String(reply.headers['set-cookie']))?.[1] ?? '';
    expect((await t.call('GET', '/me', { session, site: null })).data).toEqual(reply.data);
  });

  it('200 stays with the user whose account it is when addresses change hands', async () => {
    const [ada, bo] = [await makePerson(t), await makePerson(t)];
    accounts.ada = { email: ada.email, isVerified: true };
    expect((await signIn('ada')).data).toMatchObject({ user: { id: ada.id } });
    // The company gives Ada's account the address of Bo, and somebody else Ada's address.
    accounts.ada = { email: bo.email, isVerified: true };
    accounts.eve = { email: ada.email, isVerified: true };
    expect((await signIn('ada')).data).toMatchObject({ user: { id: ada.id } });
    expect((await signIn('eve')).status).toBe(403);
  });

  it('403 for an account that no user has, one that is not verified, and that of a disabled user', async () => {
    const user = await makePerson(t);
    accounts.nobody = { email: 'nobody@facteur.test', isVerified: true };
    accounts.unverified = { email: user.email, isVerified: false };
    accounts.ada = { email: user.email, isVerified: true };
    expect(await signIn('nobody')).toMatchObject({
      status: 403,
      error:
        'No user of this installation has the address nobody@facteur.test; ask an administrator to add you',
    });
    expect(await signIn('unverified')).toMatchObject({
      status: 403,
      error: 'The provider has not verified the address of this account; sign in with your password',
    });
    expect((await signIn('ada')).status).toBe(200);
    await updateUser(t.app.control, user.id, { isDisabled: true });
    expect((await signIn('ada')).status).toBe(403);
  });

  it('422 for what belongs to another attempt, was used, is refused or came too late', async () => {
    const user = await makePerson(t);
    accounts.ada = { email: user.email, isVerified: true };
    const [first, second] = [await start(), await start()];
    const parameters = await provider.signIn(first.url, 'ada');
    expect(await finish({ secret: second.secret, parameters })).toMatchObject(notOurs);
    expect((await finish({ secret: first.secret, parameters })).status).toBe(200);
    expect(await finish({ secret: first.secret, parameters })).toMatchObject({
      status: 422,
      error: expect.stringContaining('invalid_grant'),
    });
    const state = new URL(second.url).searchParams.get('state');
    const iss = encodeURIComponent(provider.config.issuer);
    expect(
      await finish({ secret: second.secret, parameters: `error=access_denied&state=${state}&iss=${iss}` }),
    ).toMatchObject({ status: 422, error: expect.stringContaining('access_denied') });
    expect(await finish({ secret: second.secret, parameters: 'x' })).toMatchObject({ status: 422 });
    const altered = `A${second.secret.slice(1)}`;
    for (const secret of ['x', altered, altered === second.secret ? 'y' : altered])
      expect(await finish({ secret, parameters })).toMatchObject({
        status: 422,
        error: 'secret: the sign-in was begun elsewhere or too long ago; begin again',
      });
    t.clock.advance(oidcAttemptMs + 1);
    expect(await finish({ secret: second.secret, parameters })).toMatchObject({ status: 422 });
  });

  it('503 when the provider stops answering before the end', async () => {
    const { secret, url } = await start();
    const parameters = await provider.signIn(url, 'nobody');
    await provider.close();
    expect((await finish({ secret, parameters })).status).toBe(503);
  });
});

describe('finishProviderSignIn without a provider', () => {
  it('404', async () => {
    const t = await testApp();
    try {
      const body = { secret: 'x', parameters: 'x' };
      const reply = await t.call('POST', '/session/provider', { as: null, site: null, body });
      expect(reply.status).toBe(404);
    } finally {
      await t.close();
    }
  });
});
