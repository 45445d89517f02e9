import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { providersByDomain } from '../provider-store.ts';

describe('updateProvider', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const update = (id: number, body: object, as: 'admin' | 'sender' | null = 'admin') =>
    t.call('PUT', `/admin/v1/providers/${id}`, { body, as });

  it('200 replaces name, limits and domains', async () => {
    const body = {
      name: 'Gmail',
      domains: ['gmail.com', 'google.example'],
      maxConnections: 20,
      messagesPerHour: 9_000,
    };
    const reply = await update(1, body);
    expect(reply).toMatchObject({ status: 200, data: { id: 1, ...body } });
    const byDomain = await providersByDomain(t.app.control);
    expect([byDomain.get('gmail.com'), byDomain.get('google.example')]).toEqual([1, 1]);
    expect(byDomain.has('googlemail.com')).toBe(false);
    expect((await update(1, { name: 'Gmail', domains: ['gmail.com'] })).data).toMatchObject({
      maxConnections: 0,
      messagesPerHour: 0,
    });
  });

  it("409 for another's name or domain, and nothing is changed", async () => {
    const before = await t.call('GET', '/admin/v1/providers');
    expect(await update(2, { name: 'Gmail', domains: [] })).toMatchObject({ status: 409 });
    expect(await update(2, { name: 'Microsoft', domains: ['laposte.net'] })).toMatchObject({
      status: 409,
      error: "The domain 'laposte.net' belongs to the provider 'La Poste'",
    });
    expect((await t.call('GET', '/admin/v1/providers')).data).toEqual(before.data);
  });

  it('404 for an unknown provider', async () => {
    expect(await update(999, { name: 'Nobody', domains: [] })).toMatchObject({
      status: 404,
      error: 'Provider not found',
    });
  });

  it('400 names the member', async () => {
    expect(await update(1, { name: 'Gmail', domains: 'gmail.com' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('domains'),
    });
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await update(1, { name: 'x', domains: [] }, null)).status).toBe(401);
    expect((await update(1, { name: 'x', domains: [] }, 'sender')).status).toBe(403);
  });
});
