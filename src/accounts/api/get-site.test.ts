import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('getSite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 returns the site of the path, to a reader too', async () => {
    await t.call('PUT', '/site', { as: 'admin', body: { typedConfirmationFrom: 500 } });
    expect((await t.call('GET', '/site', { as: 'reader' })).data).toEqual({
      id: t.db.site.id,
      name: 'demo',
      typedConfirmationFrom: 500,
      creationDate: expect.any(String),
    });
    expect((await t.call('GET', '/site', { as: 'admin', site: 'other' })).data).toMatchObject({
      name: 'other',
      typedConfirmationFrom: 10_000,
    });
  });

  it('404 for a site that the token has no access to', async () => {
    expect((await t.call('GET', '/site', { as: 'reader', site: 'other' })).status).toBe(404);
  });

  it('401 without a token', async () => {
    expect((await t.call('GET', '/site', { as: null })).status).toBe(401);
  });
});
