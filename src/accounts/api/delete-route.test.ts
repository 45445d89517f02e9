import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls', username: 'u', password: 'secret' };

describe('deleteRoute', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 deletes once, 404 afterwards and for another site', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: relay });
    const { id } = made.data as { id: number };
    expect((await t.call('DELETE', `/admin/v1/sites/other/routes/${id}`)).status).toBe(404);
    expect((await t.call('DELETE', `/admin/v1/sites/demo/routes/${id}`)).data).toBe(true);
    expect((await t.call('DELETE', `/admin/v1/sites/demo/routes/${id}`)).status).toBe(404);
  });

  it('400 for no id', async () => {
    expect((await t.call('DELETE', '/admin/v1/sites/demo/routes/0')).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('DELETE', '/admin/v1/sites/demo/routes/1', { as: null })).status).toBe(401);
    expect((await t.call('DELETE', '/admin/v1/sites/demo/routes/1', { as: 'sender' })).status).toBe(403);
  });
});
