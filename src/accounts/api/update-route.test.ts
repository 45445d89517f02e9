import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { routesOf } from '../route-store.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls', username: 'u', password: 'secret' };

describe('updateRoute', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const passwords = async () =>
    (await routesOf(t.app.control, t.app.secrets, t.db.site.id)).map((route) => route.password);

  it('200 replaces all but a password that is omitted', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: relay });
    const path = `/admin/v1/sites/demo/routes/${(made.data as { id: number }).id}`;
    const { password: _, ...rest } = relay;
    const reply = await t.call('PUT', path, { body: { ...rest, host: 'b.example.org', maxConnections: 3 } });
    expect(reply.data).toMatchObject({ host: 'b.example.org', maxConnections: 3, hasPassword: true });
    expect(await passwords()).toEqual(['secret']);
    expect((await t.call('PUT', path, { body: { ...rest, password: 'other' } })).status).toBe(200);
    expect(await passwords()).toEqual(['other']);
    const without = await t.call('PUT', path, { body: { ...rest, password: null } });
    expect(without.data).toMatchObject({ hasPassword: false });
  });

  it('404 for an unknown route, and for a route of another site', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: relay });
    const { id } = made.data as { id: number };
    expect((await t.call('PUT', `/admin/v1/sites/other/routes/${id}`, { body: relay })).error).toBe(
      'Route not found',
    );
    expect((await t.call('PUT', '/admin/v1/sites/demo/routes/9999', { body: relay })).status).toBe(404);
  });

  it('400 for a wrong member', async () => {
    const body = { ...relay, tls: 'maybe' };
    expect((await t.call('PUT', '/admin/v1/sites/demo/routes/1', { body })).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('PUT', '/admin/v1/sites/demo/routes/1', { as: null, body: relay })).status).toBe(
      401,
    );
    expect((await t.call('PUT', '/admin/v1/sites/demo/routes/1', { as: 'sender', body: relay })).status).toBe(
      403,
    );
  });
});
