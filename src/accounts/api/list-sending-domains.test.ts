import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('listSendingDomains', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the domains of the site with their DNS records', async () => {
    const made = await t.call('POST', '/admin/v1/sites/demo/sending-domains', {
      body: { domain: 'a.example' },
    });
    const reply = await t.call('GET', '/admin/v1/sites/demo/sending-domains');
    expect(reply.status).toBe(200);
    expect(reply.data).toEqual([made.data]);
    expect((await t.call('GET', '/admin/v1/sites/other/sending-domains')).data).toEqual([]);
  });

  it('404 for an unknown site', async () => {
    expect((await t.call('GET', '/admin/v1/sites/nowhere/sending-domains')).status).toBe(404);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/sites/demo/sending-domains', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/sites/demo/sending-domains', { as: 'sender' })).status).toBe(403);
  });
});
