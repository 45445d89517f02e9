import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { originsOf } from './origin.ts';
import { sessionCookie, sessionIn } from './session-cookie.ts';

const request = (headers: Record<string, string>, remoteAddress = '10.0.0.1') =>
  // What is read of a request, and nothing else.
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;
const origins = (publicUrl: string, proxies = '') =>
  originsOf({ config: readConfig({ FACTEUR_TRUSTED_PROXIES: proxies }), publicUrl });

describe('originsOf', () => {
  it.each([
    // Public address, trusted proxies, headers, whether it is the service's own.
    ['http://localhost:3000', '', { origin: 'http://localhost:3000', host: 'localhost:3000' }, true],
    ['http://localhost:3000', '', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }, true],
    ['http://localhost:3000', '', { origin: 'http://MAIL.example', host: 'MAIL.example' }, false],
    ['http://localhost:3000', '', { origin: 'http://mail.example', host: 'MAIL.example' }, true],
    ['http://localhost:3000', '', { origin: 'http://localhost:3001', host: 'localhost:3000' }, false],
    ['http://localhost:3000', '', { origin: 'null', host: 'localhost:3000' }, false],
    ['http://localhost:3000', '', { host: 'localhost:3000' }, false],
    ['http://localhost:3000', '', { origin: 'https://mail.example', host: 'mail.example' }, false],
    // A proxy that rewrites the host.
    ['https://mail.example', '', { origin: 'https://mail.example', host: 'upstream:3000' }, true],
    ['https://mail.example/facteur', '', { origin: 'https://mail.example', host: 'upstream' }, true],
    // https was spoken with the public address: what came without is another page.
    ['https://mail.example', '', { origin: 'http://mail.example', host: 'mail.example' }, false],
    ['https://mail.example', '', { origin: 'https://mail.example.evil', host: 'mail.example' }, false],
    [
      'http://localhost:3000',
      '10.0.0.0/8',
      { origin: 'https://mail.example', host: 'mail.example', 'x-forwarded-proto': 'https' },
      true,
    ],
    [
      'http://localhost:3000',
      '192.0.2.0/24',
      { origin: 'https://mail.example', host: 'mail.example', 'x-forwarded-proto': 'https' },
      false,
    ],
  ])('%s behind %j, %j: %s', (publicUrl, proxies, headers, isOwn) => {
    expect(origins(publicUrl, proxies).isOwn(request(headers as Record<string, string>))).toBe(isOwn);
  });

  it.each([
    ['http://localhost:3000', '', { host: 'localhost:3000', 'x-forwarded-proto': 'https' }, false],
    ['http://localhost:3000', '10.0.0.0/8', { host: 'x', 'x-forwarded-proto': 'https' }, true],
    ['http://localhost:3000', '10.0.0.0/8', { host: 'x', 'x-forwarded-proto': 'http' }, false],
    ['https://mail.example', '', { host: 'Mail.example' }, true],
    ['https://mail.example', '', { host: 'localhost:3000' }, false],
  ])('by https at %s behind %j, %j: %s', (publicUrl, proxies, headers, isSecure) => {
    expect(origins(publicUrl, proxies).isSecure(request(headers as Record<string, string>))).toBe(isSecure);
  });
});

describe('the cookie of a session', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['facteur_session=abc', 'abc'],
    ['a=1; facteur_session=a-b_c; b=2', 'a-b_c'],
    ['facteur_session=', undefined],
    ['facteur_session="abc"', undefined],
    ['xfacteur_session=abc', undefined],
    [`facteur_session=${'x'.repeat(201)}`, undefined],
  ])('is read from %j', (header, session) => {
    expect(sessionIn(header, false)).toBe(session);
    // Behind https only the name that no other host can set.
    expect(sessionIn(header, true)).toBeUndefined();
    expect(sessionIn(header?.replace('facteur_session', '__Host-facteur_session'), true)).toBe(session);
  });

  it('is hidden from scripts, and removed at once', () => {
    expect(sessionCookie('abc', true)).toBe(
      '__Host-facteur_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure',
    );
    expect(sessionCookie(null, false)).toBe('facteur_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  });
});
