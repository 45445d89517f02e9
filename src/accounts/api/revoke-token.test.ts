import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { findCaller } from '../caller-store.ts';

describe('revokeToken', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 ends the token, and the first revocation counts', async () => {
    const made = await t.call('POST', '/admin/v1/tokens', {
      body: { idUser: 1, role: 'reader', sites: null },
    });
    const { token, details } = made.data as { token: string; details: { id: number } };
    expect(await findCaller(t.app.control, token, 'demo', t.clock.now())).toBeDefined();
    expect((await t.call('DELETE', `/admin/v1/tokens/${details.id}`)).data).toBe(true);
    expect(await findCaller(t.app.control, token, 'demo', t.clock.now())).toBeUndefined();
    t.clock.advance(60_000);
    expect((await t.call('DELETE', `/admin/v1/tokens/${details.id}`)).status).toBe(200);
    const { rows } = await t.app.control.pool.query('select revoked_at from facteur.token where id = $1', [
      details.id,
    ]);
    expect(rows[0].revoked_at.toISOString()).toBe('2026-11-20T10:00:00.000Z');
  });

  it('404 for an unknown token, 400 for no id', async () => {
    expect((await t.call('DELETE', '/admin/v1/tokens/9999')).error).toBe('Token not found');
    expect((await t.call('DELETE', '/admin/v1/tokens/x')).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('DELETE', '/admin/v1/tokens/1', { as: null })).status).toBe(401);
    expect((await t.call('DELETE', '/admin/v1/tokens/1', { as: 'sender' })).status).toBe(403);
  });
});
