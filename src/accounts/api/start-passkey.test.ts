import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';
import { Passkeys } from '../../testing/passkeys.ts';
import { wrongPasswordsOfAccount } from '../sign-in.ts';

describe('startPasskey', () => {
  let passkeys: Passkeys;
  beforeEach(async () => {
    passkeys = await Passkeys.open();
  });
  afterEach(() => passkeys.t.close());

  it('200 asks for a passkey of this host, and none that the user has already', async () => {
    const session = await makeSession(passkeys.t);
    const first = await passkeys.start(session);
    expect(first).toMatchObject({
      status: 200,
      typeName: 'PasskeyRequest',
      data: { host: 'mail.example', existing: [] },
    });
    expect((await passkeys.start(session)).data.challenge).not.toBe(first.data.challenge);
    await passkeys.add(session);
    expect((await passkeys.start(session)).data.existing).toHaveLength(1);
  });

  it('422 for a wrong password or none, and 429 after many', async () => {
    const session = await makeSession(passkeys.t);
    const wrong = { status: 422, error: 'currentPassword: is incorrect' };
    expect(await passkeys.start(session, null)).toMatchObject(wrong);
    for (let i = 1; i < wrongPasswordsOfAccount; i++)
      expect(await passkeys.start(session, 'x')).toMatchObject(wrong);
    expect((await passkeys.start(session)).status).toBe(429);
  });

  it('403 for a token', async () => {
    const reply = await passkeys.t.call('POST', '/me/passkeys/start', {
      site: null,
      as: 'admin',
      body: { currentPassword: null },
    });
    expect([reply.status, reply.error]).toEqual([403, 'Sign in to add a passkey: a token may not']);
  });

  it('422 where browsers have no passkeys', async () => {
    const plain = await testApp();
    try {
      const session = await makeSession(plain, await makePerson(plain));
      const reply = await plain.call('POST', '/me/passkeys/start', {
        session,
        site: null,
        body: { currentPassword: null },
      });
      expect(reply).toMatchObject({
        status: 422,
        error:
          'There are no passkeys at http://mail.test: open the console by https and the name of its host',
      });
    } finally {
      await plain.close();
    }
  });
});
