import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls', username: 'u', password: 'secret' };

describe('listRoutes', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the routes in order of preference, without passwords', async () => {
    for (const position of [2, 1]) {
      await t.call('POST', '/admin/v1/sites/demo/routes', { body: { ...relay, position } });
    }
    const reply = await t.call('GET', '/admin/v1/sites/demo/routes');
    expect(reply.status).toBe(200);
    expect((reply.data as { position: number }[]).map((route) => route.position)).toEqual([1, 2]);
    expect(JSON.stringify(reply.data)).not.toContain('secret');
    expect((await t.call('GET', '/admin/v1/sites/other/routes')).data).toEqual([]);
  });

  it('404 for an unknown site', async () => {
    expect((await t.call('GET', '/admin/v1/sites/nowhere/routes')).status).toBe(404);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/sites/demo/routes', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/sites/demo/routes', { as: 'sender' })).status).toBe(403);
  });
});
