import { createHash } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maxWaiting } from '../../platform/http/server.ts';
import { ownOrigin, type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { makePerson, personPassword } from '../../testing/make-session.ts';
import { until } from '../../testing/until.ts';
import { wrongPasswordsOfAccount, wrongPasswordsOfAddress } from '../sign-in.ts';
import { updateUser } from '../user-store.ts';
import { signIn as signInOperation } from './sign-in.ts';

const wrong = { status: 401, error: 'The email or password is incorrect' };

describe('signIn', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(() => t.close());

  const signIn = (email: string, password = personPassword) =>
    t.call('POST', '/session', { as: null, site: null, body: { email, password } });
  const from = async (remoteAddress: string, email: string, password = personPassword, headers = {}) => {
    const response = await t.server.inject({
      method: 'POST',
      url: '/v1/session',
      remoteAddress,
      headers,
      payload: { email, password },
    });
    return { status: response.statusCode, headers: response.headers, error: response.json().error };
  };
  const sessionOf = (reply: { headers: Record<string, unknown> }) =>
    /^facteur_session=([\w-]{43}); /.exec(String(reply.headers['set-cookie']))?.[1];

  it('200 sets a cookie that works as the user, and keeps only its hash', async () => {
    const user = await makePerson(t, { sites: [{ name: 'demo', role: 'editor' }] });
    const reply = await signIn(user.email.toUpperCase());
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'Me',
      data: {
        user: { id: user.id, name: user.name, email: user.email },
        isAdministrator: false,
        sites: [{ name: 'demo', role: 'editor' }],
      },
    });
    const cookie = String(reply.headers['set-cookie']);
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Lax']);
    const session = sessionOf(reply)!;
    expect((await t.call('GET', '/me', { session, site: null })).data).toEqual(reply.data);
    const { rows } = await t.app.control.pool.query('select * from facteur.session');
    expect(rows).toMatchObject([{ id_user: user.id, hash: createHash('sha256').update(session).digest() }]);
    expect(JSON.stringify(rows)).not.toContain(session);
  });

  it('200 marks the cookie Secure behind https only', async () => {
    const { email } = await makePerson(t);
    const isSecure = async (headers: object, on: TestApp = t) => {
      const { headers: answered } = await on.server.inject({
        method: 'POST',
        url: '/v1/session',
        headers: { ...headers },
        payload: { email, password: personPassword },
      });
      return String(answered['set-cookie']).endsWith('; Secure');
    };
    // Nobody trusts who claims to be a proxy.
    expect(await isSecure({ 'x-forwarded-proto': 'https' })).toBe(false);
    const behind = await testApp({
      config: { trustedProxies: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] },
      publicUrl: 'https://mail.example',
    });
    try {
      await makePersonWith(behind, email);
      expect(await isSecure({ 'x-forwarded-proto': 'https' }, behind)).toBe(true);
      expect(await isSecure({ host: 'mail.example' }, behind)).toBe(true);
      expect(await isSecure({ host: 'localhost' }, behind)).toBe(false);
    } finally {
      await behind.close();
    }
  });

  it('401 with one text for a wrong password, an unknown address, no password and a disabled user', async () => {
    const user = await makePerson(t);
    const disabled = await makePerson(t);
    await updateUser(t.app.control, disabled.id, { isDisabled: true });
    for (const reply of [
      await signIn(user.email, 'wrong horse battery'),
      await signIn('nobody@facteur.test'),
      await signIn('no address'),
      // The user of the tests' tokens has no password.
      await signIn('ada@facteur.test'),
      await signIn(disabled.email),
    ]) {
      expect(reply).toMatchObject(wrong);
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
  });

  it('403 from a page of another site, which would sign its visitor in as somebody else', async () => {
    const { email } = await makePerson(t);
    const status = async (origin: string) =>
      (await from('192.0.2.1', email, personPassword, { origin })).status;
    expect([await status('https://evil.example'), await status('null'), await status(ownOrigin)]).toEqual([
      403, 403, 200,
    ]);
  });

  it('429 after many wrong passwords for an account, but not for an address that it was used from', async () => {
    const { email } = await makePerson(t);
    expect((await from('192.0.2.1', email)).status).toBe(200);
    for (let i = 0; i < wrongPasswordsOfAccount; i++)
      expect((await from(`198.51.100.${i}`, email, 'wrong')).status).toBe(401);
    const limited = await from('198.51.100.200', email);
    expect(limited).toMatchObject({ status: 429, error: expect.stringContaining('Too many attempts') });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(200);
    expect((await from('192.0.2.1', email)).status).toBe(200);
  });

  it('429 after as many for an unknown account', async () => {
    const statuses: number[] = [];
    for (let i = 0; i <= wrongPasswordsOfAccount; i++)
      statuses.push((await from(`198.51.100.${i}`, 'Nobody@facteur.test', 'wrong')).status);
    expect(statuses).toEqual([...Array(wrongPasswordsOfAccount).fill(401), 429]);
  });

  it('429 after many wrong passwords from one address, in a burst as well', async () => {
    const attempts = Array.from({ length: wrongPasswordsOfAddress + 5 }, (_, i) =>
      from('192.0.2.9', `nobody${i}@facteur.test`),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(wrongPasswordsOfAddress);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    const { email } = await makePerson(t);
    expect((await from('192.0.2.9', email)).status).toBe(429);
    expect((await from('192.0.2.10', email)).status).toBe(200);
  });

  it('429 as well when an account is spelled with another letter that PostgreSQL takes for the same', async () => {
    const { id } = await makePerson(t);
    await updateUser(t.app.control, id, { email: 'iris@facteur.test' });
    const spellings = ['iris', 'IRIS', '\u0130ris', 'ir\u0130s'];
    const statuses: number[] = [];
    for (let i = 0; i <= wrongPasswordsOfAccount; i++) {
      const email = `${spellings[i % spellings.length]}@facteur.test`;
      statuses.push((await from(`198.51.100.${i}`, email, 'wrong')).status);
    }
    expect(statuses).toEqual([...Array(wrongPasswordsOfAccount).fill(401), 429]);
  });

  it('200 for an account from an address that it was used from, whatever strangers try from there', async () => {
    const { email } = await makePerson(t);
    expect((await from('192.0.2.1', email)).status).toBe(200);
    for (let i = 0; i < wrongPasswordsOfAddress; i++)
      expect((await from('192.0.2.1', `nobody${i}@facteur.test`)).status).toBe(401);
    expect((await from('192.0.2.1', 'nobody@facteur.test')).status).toBe(429);
    expect((await from('192.0.2.1', email)).status).toBe(200);
  });

  it('200 while strangers send their bodies byte by byte', async () => {
    const { email } = await makePerson(t);
    await t.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.server.server.address() as AddressInfo;
    const head =
      'POST /v1/session HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
    let begun = 0;
    t.server.server.on('request', () => {
      begun += 1;
    });
    const strangers = Array.from({ length: (signInOperation.atOnce ?? 0) + 1 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head));
      return socket;
    });
    try {
      await until(() => begun === strangers.length, 'the requests of the strangers');
      expect((await signIn(email)).status).toBe(200);
      // Not after the time limit of their requests either.
      expect(strangers.map(({ bytesRead }) => bytesRead)).toEqual(strangers.map(() => 0));
    } finally {
      for (const socket of strangers) socket.destroy();
    }
  });

  it('503 when too many wait for their turn, and the others are answered', async () => {
    const { email } = await makePerson(t);
    const hold = await Hold.of(t.connection, 'lock table facteur.app_user in access exclusive mode');
    const calls = Array.from({ length: signInOperation.atOnce! + maxWaiting + 1 }, () => signIn(email, 'x'));
    const refused = await Promise.race(calls);
    expect(refused).toMatchObject({
      status: 503,
      error: 'Too many calls of signIn are under way; try again in a moment',
    });
    await hold.letGo();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([401, 429, 503]));
  });

  async function makePersonWith(on: TestApp, email: string) {
    const made = await makePerson(on);
    await updateUser(on.app.control, made.id, { email });
  }
});
