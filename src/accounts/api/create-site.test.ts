import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { sftpAccountOf } from '../sftp-account-store.ts';

describe('createSite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (name: unknown, body = {}) => t.call('POST', '/admin/v1/sites', { body: { name, ...body } });

  it('200 makes the row, the schema with its tables, and an SFTP account', async () => {
    const reply = await create('shop-1');
    expect(reply.status).toBe(200);
    expect(reply.data).toEqual({
      id: expect.any(Number),
      name: 'shop-1',
      typedConfirmationFrom: 10_000,
      creationDate: '2026-11-20T10:00:00.000Z',
    });
    const site = (await t.app.site('shop-1'))!;
    expect(site.site.schema).toBe('site_shop-1');
    expect(await site.one(sql`select count(*) as n from ${site.t.subscriber}`)).toEqual({ n: 0 });
    const account = await sftpAccountOf(t.app.control, t.app.secrets, site.site.id);
    expect(account).toMatchObject({ login: 'shop-1', siteName: 'shop-1', publicKeys: [] });
    expect(account!.password).toMatch(/^[\w-]{24}$/);
  });

  it('409 for a name that is taken, and for all but one of many at once', async () => {
    expect((await create('demo')).status).toBe(409);
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => create('race')))).map(
      (one) => one.status,
    );
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it.each(['', 'a', 'Demo', '-a', 'a_b', 's1; drop', '../x', 's1"', 'é1', 'x'.repeat(32), 7, null, 'a\n'])(
    '400 for the name %j',
    async (name) => {
      expect((await create(name)).status).toBe(400);
    },
  );

  it('400 names an unknown member', async () => {
    const reply = await create('fine', { schema: 'public' });
    expect([reply.status, reply.error]).toEqual([400, expect.stringContaining('schema')]);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('POST', '/admin/v1/sites', { as: null, body: { name: 'x1' } })).status).toBe(401);
    expect((await t.call('POST', '/admin/v1/sites', { as: 'sender', body: { name: 'x1' } })).status).toBe(
      403,
    );
  });
});
