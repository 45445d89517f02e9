import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../../testing/authenticator.ts';
import { makeSession } from '../../testing/make-session.ts';
import { Passkeys } from '../../testing/passkeys.ts';
import { passkeyAttemptMs } from '../passkey.ts';
import { mostPasskeys } from '../passkey-store.ts';

const notValid = { status: 422, error: 'The passkey is not valid here; use another one, or your password' };
const tooLate = {
  status: 422,
  error: 'secret: the attempt was begun elsewhere or too long ago; begin again',
};

describe('createPasskey', () => {
  let passkeys: Passkeys;
  let session: string;
  beforeEach(async () => {
    passkeys = await Passkeys.open();
    session = await makeSession(passkeys.t);
  });
  afterEach(() => passkeys.t.close());

  const create = (body: object, as = session) => passkeys.call('POST', '/me/passkeys', as, body);

  it('200 stores a passkey, by which its user signs in', async () => {
    expect(await passkeys.add(session, 'A <b>key</b>')).toMatchObject({
      status: 200,
      typeName: 'Passkey',
      data: { id: 1, name: 'A <b>key</b>', creationDate: '2026-11-20T10:00:00.000Z', lastUseDate: null },
    });
    expect((await passkeys.signIn()).status).toBe(200);
  });

  it('409 for one that is registered, also by another user, and for the 21st', async () => {
    await passkeys.add(session);
    const other = await makeSession(passkeys.t);
    for (const one of [session, other])
      expect(await passkeys.add(one)).toMatchObject({
        status: 409,
        error: 'This passkey is already registered',
      });
    const fresh = () => passkeys.add(session, 'More', new Authenticator(Passkeys.origin));
    for (let i = 1; i < mostPasskeys; i++) expect((await fresh()).status).toBe(200);
    expect(await fresh()).toMatchObject({ status: 409, error: expect.stringContaining('20 passkeys') });
  });

  it('422 for a page of another origin, another host, another challenge and another user', async () => {
    const { data } = await passkeys.start(session);
    const foreign = new Authenticator('https://evil.example').create(data);
    expect(await create({ name: 'x', ...foreign })).toMatchObject(notValid);
    const elsewhere = passkeys.authenticator.create({ ...data, host: 'evil.example' });
    expect(await create({ name: 'x', ...elsewhere })).toMatchObject(notValid);
    const other = passkeys.authenticator.create({ ...data, challenge: 'x'.repeat(43) });
    expect(await create({ name: 'x', ...other })).toMatchObject(notValid);
    const right = { name: 'x', ...passkeys.authenticator.create(data) };
    expect(await create({ ...right, attestation: 'AAAA' })).toMatchObject(notValid);
    expect(await create(right, await makeSession(passkeys.t))).toMatchObject(tooLate);
    passkeys.t.clock.advance(passkeyAttemptMs + 1);
    expect(await create(right)).toMatchObject(tooLate);
  });

  it('403 for a token', async () => {
    const { data } = await passkeys.start(session);
    const body = { name: 'x', ...passkeys.authenticator.create(data) };
    const reply = await passkeys.t.call('POST', '/me/passkeys', { site: null, as: 'admin', body });
    expect(reply.status).toBe(403);
  });
});
