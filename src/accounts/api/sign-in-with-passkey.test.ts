import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../../testing/authenticator.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';
import { Passkeys } from '../../testing/passkeys.ts';
import { passkeyAttemptMs } from '../passkey.ts';
import { updateUser } from '../user-store.ts';

const notValid = { status: 422, error: 'The passkey is not valid here; use another one, or your password' };
const unknown = {
  status: 401,
  error: 'This passkey belongs to no user here; use another one, or your password',
};

describe('signInWithPasskey', () => {
  let passkeys: Passkeys;
  let user: { id: number; email: string };
  beforeEach(async () => {
    passkeys = await Passkeys.open();
    user = await makePerson(passkeys.t);
  });
  afterEach(() => passkeys.t.close());

  const add = async () => passkeys.add(await makeSession(passkeys.t, user));
  const start = async () => (await passkeys.call('POST', '/session/passkey/start', null)).data;
  const signIn = (body: object) => passkeys.call('POST', '/session/passkey', null, body);

  it('200 begins a session that works, again and again', async () => {
    await add();
    for (let times = 0; times < 2; times++) {
      passkeys.t.clock.advance(1_000);
      const reply = await passkeys.signIn();
      expect(reply).toMatchObject({ status: 200, typeName: 'Me', data: { user: { id: user.id } } });
      const cookie = /^__Host-facteur_session=([\w-]{43}); /.exec(String(reply.headers['set-cookie']))?.[1];
      expect((await passkeys.call('GET', '/me', cookie ?? '')).status).toBe(200);
    }
  });

  it('401 for a passkey that nobody has, and that of a disabled user', async () => {
    await add();
    expect(await passkeys.signIn(new Authenticator(Passkeys.origin))).toMatchObject(unknown);
    await updateUser(passkeys.t.app.control, user.id, { isDisabled: true });
    expect(await passkeys.signIn()).toMatchObject(unknown);
  });

  it('401 for a signature that was used before, and one that is older than the last', async () => {
    await add();
    const [old, first] = [await start(), await start()];
    const [before, signed] = [passkeys.authenticator.sign(old), passkeys.authenticator.sign(first)];
    expect((await signIn(signed)).status).toBe(200);
    expect(await signIn(signed)).toMatchObject(unknown);
    expect(await signIn(before)).toMatchObject(unknown);
  });

  it('422 for a page of another origin, another host, another challenge, a wrong signature, and late', async () => {
    await add();
    const data = await start();
    const signed = passkeys.authenticator.sign(data);
    const foreign = passkeys.authenticator.sign({ ...data, host: 'evil.example' });
    const other = passkeys.authenticator.sign({ ...data, challenge: 'x'.repeat(43) });
    for (const body of [foreign, other, { ...signed, signature: other.signature }])
      expect(await signIn(body)).toMatchObject(notValid);
    passkeys.t.clock.advance(passkeyAttemptMs + 1);
    expect(await signIn(signed)).toMatchObject({ status: 422, error: expect.stringContaining('secret: ') });
  });

  it('422 when the authenticator has counted backwards, as a copy of it does', async () => {
    passkeys.authenticator.counter = 5;
    await add();
    expect((await passkeys.signIn()).status).toBe(200);
    passkeys.authenticator.counter = 3;
    passkeys.t.clock.advance(1_000);
    expect(await passkeys.signIn()).toMatchObject(notValid);
  });
});
