import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Refusal } from './refusal.ts';
import { guardSessions, guardTokens } from './token-guard.ts';

const caller = (idToken: number) => ({
  caller: { idToken, idSession: null, idUser: 1, userName: 'Ada', rights: new Set([]) },
  reachesSite: true,
});
const from = (remoteAddress: string) =>
  ({ raw: { socket: { remoteAddress }, headers: {} } }) as FastifyRequest;

/** Tokens `good1`, `good2` … are valid; every look-up is counted. */
function guarded(limits: { requestsPerMinute?: number; wrongTokensPerMinute?: number } = {}) {
  const asked: string[] = [];
  const guard = guardTokens(
    async (token) => {
      asked.push(token);
      return token.startsWith('good') ? caller(Number(token.slice(4))) : undefined;
    },
    { requestsPerMinute: 1000, wrongTokensPerMinute: 5, trustedProxies: [], ...limits },
  );
  const statusOf = async (token: string, ip = '192.0.2.1') =>
    guard(token, 'demo', from(ip)).then(
      (found) => (found ? 200 : 401),
      (refusal: Refusal) => refusal.status,
    );
  return { asked, guard, statusOf };
}

describe('guardTokens', () => {
  it('429 with the time to wait when a token makes too many requests; others continue', async () => {
    const { guard, statusOf } = guarded({ requestsPerMinute: 3 });
    for (let i = 0; i < 3; i++) expect(await statusOf('good1')).toBe(200);
    await expect(guard('good1', 'demo', from('192.0.2.1'))).rejects.toMatchObject({
      status: 429,
      retryAfterS: 60,
    });
    expect(await statusOf('good2')).toBe(200);
  });

  it('429 without a look-up when an address has tried too many wrong tokens', async () => {
    const { asked, statusOf } = guarded();
    const statuses: number[] = [];
    for (let i = 0; i < 1000; i++) statuses.push(await statusOf(`wrong${i}`));
    expect(statuses.filter((status) => status === 401)).toHaveLength(6);
    expect(new Set(statuses.slice(6))).toEqual(new Set([429]));
    expect(asked).toHaveLength(6);
    expect(await statusOf('wrong', '192.0.2.2')).toBe(401);
  });

  it('429 for what is too many of a burst, but not for a burst of one good token', async () => {
    const { asked, statusOf } = guarded();
    const wrong = await Promise.all(Array.from({ length: 100 }, (_, i) => statusOf(`wrong${i}`)));
    expect(wrong.filter((status) => status === 401)).toHaveLength(6);
    expect(asked).toHaveLength(6);
    const good = await Promise.all(Array.from({ length: 100 }, () => statusOf('good1', '192.0.2.9')));
    expect(new Set(good)).toEqual(new Set([200]));
  });

  it('lets a token that was good continue from an address that has to wait', async () => {
    const { statusOf } = guarded();
    expect(await statusOf('good1')).toBe(200);
    for (let i = 0; i < 20; i++) await statusOf(`wrong${i}`);
    expect(await statusOf('good1')).toBe(200);
    expect(await statusOf('good2')).toBe(429);
  });

  it('answers the check of an open stream from such an address, and counts none', async () => {
    const { guard, statusOf } = guarded({ requestsPerMinute: 1 });
    const check = (token: string) => guard(token, 'demo', from('192.0.2.1'), true);
    for (let i = 0; i < 20; i++) expect(await check('wrong')).toBeUndefined();
    for (let i = 0; i < 20; i++) expect(await check('good1')).toBeDefined();
    expect(await statusOf('good1')).toBe(200);
    for (let i = 0; i < 20; i++) await statusOf(`wrong${i}`);
    expect(await statusOf('wrong')).toBe(429);
    expect(await check('wrong')).toBeUndefined();
  });
});

describe('guardSessions', () => {
  const session = (idSession: number) => ({
    caller: { idToken: null, idSession, idUser: 1, userName: 'Ada', rights: new Set([]) },
    reachesSite: true,
  });
  const guarded = (lookedUp: string[] = []) => {
    const guard = guardSessions(
      async (text) => {
        lookedUp.push(text);
        return text.startsWith('good') ? session(Number(text.slice(4))) : undefined;
      },
      { requestsPerMinute: 3, wrongTokensPerMinute: 1, trustedProxies: [] },
    );
    return (text: string, ip = '192.0.2.1', isCheck = false) =>
      guard(text, 'demo', from(ip), isCheck).then(
        (found) => (found ? 200 : 401),
        (refusal: Refusal) => refusal.status,
      );
  };

  it('429 when a session makes too many requests; others continue', async () => {
    const statusOf = guarded();
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push(await statusOf('good1'));
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await statusOf('good2')).toBe(200);
  });

  it('429 for an address with many unknown sessions, without looking them up; the good ones continue', async () => {
    const lookedUp: string[] = [];
    const statusOf = guarded(lookedUp);
    expect(await statusOf('good1')).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push(await statusOf(`old${i}`));
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect([await statusOf('good1'), await statusOf('old', '192.0.2.2')]).toEqual([200, 401]);
    expect(lookedUp).toEqual(['good1', 'old0', 'old1', 'old2', 'good1', 'old']);
  });

  it('answers the check of an open stream from such an address, and counts none', async () => {
    const statusOf = guarded();
    const check = (text: string) => statusOf(text, '192.0.2.1', true);
    for (let i = 0; i < 9; i++) expect([await check('old'), await check('good1')]).toEqual([401, 200]);
    expect(await statusOf('good1')).toBe(200);
    for (let i = 0; i < 9; i++) await statusOf(`old${i}`);
    expect([await statusOf('old'), await check('old')]).toEqual([429, 401]);
  });
});
