import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { providersByDomain } from '../provider-store.ts';

describe('listProviders', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the providers with their domains', async () => {
    const reply = await t.call('GET', '/admin/v1/providers');
    expect(reply.status).toBe(200);
    const providers = reply.data as { name: string; domains: string[] }[];
    expect(providers.find((one) => one.name === 'Orange')!.domains).toContain('wanadoo.fr');
    expect(providers.flatMap((one) => one.domains).length).toBeGreaterThan(55);
  });

  it('200 and the store agrees on the provider of a domain', async () => {
    const providers = await providersByDomain(t.app.control);
    expect(providers.get('hotmail.fr')).toBe(2);
    expect(providers.get('unknown.example')).toBeUndefined();
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/providers', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/providers', { as: 'sender' })).status).toBe(403);
  });
});
