import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls' };

describe('deleteRouteWebhook', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 deletes once and leaves the route, 404 afterwards and for another site', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: relay });
    const { id } = made.data as { id: number };
    const path = (site: string) => `/admin/v1/sites/${site}/routes/${id}/webhook`;
    await t.call('PUT', path('demo'), { body: { provider: 'brevo', secret: 'k3uV9wQ2xS7yB4nM' } });
    expect((await t.call('DELETE', path('other'))).error).toBe('Webhook not found');
    expect((await t.call('DELETE', path('demo'))).data).toBe(true);
    expect((await t.call('DELETE', path('demo'))).status).toBe(404);
    const { data } = await t.call('GET', '/admin/v1/sites/demo/routes');
    expect(data).toMatchObject([{ id, webhook: null }]);
  });

  it('400 for no id', async () => {
    expect((await t.call('DELETE', '/admin/v1/sites/demo/routes/0/webhook')).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    const path = '/admin/v1/sites/demo/routes/1/webhook';
    expect((await t.call('DELETE', path, { as: null })).status).toBe(401);
    expect((await t.call('DELETE', path, { as: 'sender' })).status).toBe(403);
  });
});
