import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('listUsers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the users', async () => {
    const reply = await t.call('GET', '/admin/v1/users');
    expect(reply.status).toBe(200);
    expect(reply.data).toMatchObject([{ name: 'Ada', email: 'ada@facteur.test', hasPassword: false }]);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/users', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/users', { as: 'sender' })).status).toBe(403);
  });
});
