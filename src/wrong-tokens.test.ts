import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerFinder } from './accounts/caller-store.ts';
import { createToken, revokeToken } from './accounts/token-store.ts';
import { createUser, updateUser } from './accounts/user-store.ts';
import { operations } from './api.ts';
import { makeServer } from './platform/http/server.ts';
import { guardTokens } from './platform/http/token-guard.ts';
import { parseNetworks } from './platform/network.ts';
import { type TestApp, testApp } from './testing/app.ts';

/** Guessing of tokens, through the same parts that `serve` puts together. */
describe('wrong tokens', () => {
  let t: TestApp;
  let server: FastifyInstance;
  beforeEach(async () => {
    t = await testApp({ operations: [] });
    const find = callerFinder(t.app.control);
    server = makeServer({
      app: t.app,
      operations,
      findCaller: guardTokens((token, site) => find(token, site, t.clock.now()), {
        requestsPerMinute: 50,
        wrongTokensPerMinute: 10,
        trustedProxies: parseNetworks('10.0.0.0/8'),
      }),
    });
  });
  afterEach(async () => {
    await server.close();
    await t.close();
  });

  const get = (authorization?: string, url = '/v1/demo/fields', remoteAddress = '192.0.2.1') =>
    server.inject({ method: 'GET', url, remoteAddress, headers: authorization ? { authorization } : {} });
  const make = async (expiresAt: Date | null = null, idUser = 1) =>
    createToken(
      t.app.control,
      { idUser, label: '', role: 'reader', idsSite: [t.db.site.id], expiresAt },
      t.clock.now(),
    );

  it('401 with one and the same body, whatever is wrong', async () => {
    const good = await make();
    const expired = await make(new Date(t.clock.now().getTime() - 1));
    const revoked = await make();
    await revokeToken(t.app.control, revoked.id, t.clock.now());
    const leaver = { name: 'Bo', email: 'bo@facteur.test' };
    const { id: idUser } = await createUser(t.app.control, leaver, t.clock.now());
    const ofDisabled = await make(null, idUser);
    await updateUser(t.app.control, idUser, { isDisabled: true });
    const answers = [
      await get(),
      await get('Bearer'),
      await get(`Basic ${Buffer.from('ada:x').toString('base64')}`),
      await get(`Bearer ${good.text}x`),
      await get(`Bearer ${good.text.slice(0, -1)}`),
      await get(`Bearer ${expired.text}`),
      await get(`Bearer ${revoked.text}`),
      await get(`Bearer ${ofDisabled.text}`),
      await get(undefined, `/v1/demo/fields?token=${good.text}&access_token=${good.text}`),
      await get(`Bearer ${'x'.repeat(10_000)}`),
    ];
    expect(new Set(answers.map((one) => one.statusCode))).toEqual(new Set([401]));
    expect(new Set(answers.map((one) => one.body)).size).toBe(1);
    expect((await get(`Bearer ${good.text}`)).statusCode).toBe(200);
  });

  it('429 with Retry-After after some wrong tokens; a good one continues', async () => {
    const good = await make();
    expect((await get(`Bearer ${good.text}`)).statusCode).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 1000; i++) statuses.push((await get(`Bearer wrong${i}`)).statusCode);
    expect(statuses.filter((status) => status === 401)).toHaveLength(11);
    expect(new Set(statuses.slice(11))).toEqual(new Set([429]));
    const refused = await get('Bearer another');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['x-error-code']).toBe('too_many');
    expect(refused.json()).toMatchObject({ success: false, data: null, typeName: null });
    expect((await get(`Bearer ${good.text}`)).statusCode).toBe(200);
    expect((await get('Bearer wrong', undefined, '192.0.2.2')).statusCode).toBe(401);
  });

  it('counts each reader behind a trusted proxy alone, whatever headers they send', async () => {
    const statusOf = async (i: number, forwardedFor: string, remoteAddress = '10.0.0.1') => {
      const headers = { authorization: `Bearer wrong${i}`, 'x-forwarded-for': forwardedFor };
      return (await server.inject({ url: '/v1/demo/fields', remoteAddress, headers })).statusCode;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) statuses.push(await statusOf(i, `198.51.100.${i}, 203.0.113.5`));
    expect(statuses.slice(10)).toEqual([401, ...Array.from({ length: 9 }, () => 429)]);
    // Another reader, and the proxy itself, are not shut out by them.
    expect(await statusOf(20, '203.0.113.6')).toBe(401);
    expect((await get('Bearer wrong', undefined, '10.0.0.1')).statusCode).toBe(401);
    // A stranger who is no proxy is counted by where they are.
    const forged: number[] = [];
    for (let i = 0; i < 20; i++) forged.push(await statusOf(i, `198.51.100.${i}`, '203.0.113.7'));
    expect(forged.slice(11)).toEqual(Array.from({ length: 9 }, () => 429));
  });

  it('429 for a token that makes too many requests, even for sites that it may not see', async () => {
    const good = await make();
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++)
      statuses.push((await get(`Bearer ${good.text}`, `/v1/${i % 2 ? 'other' : 'demo'}/fields`)).statusCode);
    expect(statuses.slice(0, 2)).toEqual([200, 404]);
    expect(new Set(statuses.slice(50))).toEqual(new Set([429]));
  });
});
