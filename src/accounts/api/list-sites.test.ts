import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('listSites', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the sites by name', async () => {
    const reply = await t.call('GET', '/admin/v1/sites');
    expect(reply.status).toBe(200);
    expect(reply.typeName).toBe('Site[]');
    expect((reply.data as { name: string }[]).map((site) => site.name)).toEqual(['demo', 'other']);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/sites', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/sites', { as: 'sender' })).status).toBe(403);
  });
});
