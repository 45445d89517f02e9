import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('createUser', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (body: object) =>
    t.call('POST', '/admin/v1/users', { body: { name: 'Zoé', email: 'zoe@facteur.test', ...body } });

  it('200 makes a user whose password is kept as argon2id', async () => {
    const reply = await create({ password: 'correct horse battery' });
    expect(reply.status).toBe(200);
    expect(reply.data).toMatchObject({ name: 'Zoé', email: 'zoe@facteur.test', hasPassword: true });
    const { rows } = await t.app.control.pool.query(
      `select password_hash from facteur.app_user where name = 'Zoé'`,
    );
    expect(await verify(rows[0].password_hash, 'correct horse battery')).toBe(true);
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$/);
  });

  it('200 keeps the email as addresses of subscribers are kept', async () => {
    const reply = await create({ name: 'Bo', email: ' Bo@BÜCHER.example ' });
    expect(reply).toMatchObject({ status: 200, data: { email: 'Bo@xn--bcher-kva.example' } });
  });

  it('200 gives roles on sites, or the administration', async () => {
    const sites = [
      { name: 'demo', role: 'editor' },
      { name: 'other', role: 'reader' },
    ];
    const first = await create({ email: 'sites@facteur.test', sites: [...sites].reverse() });
    expect(first.data).toMatchObject({ isAdministrator: false, sites });
    const second = await create({ email: 'root@facteur.test', isAdministrator: true });
    expect(second.data).toMatchObject({ isAdministrator: true, sites: [] });
  });

  it('404 for an unknown site, and no user is made', async () => {
    const email = 'nosuch@facteur.test';
    expect(await create({ email, sites: [{ name: 'nosuch', role: 'reader' }] })).toMatchObject({
      status: 404,
      error: 'sites: Site not found',
    });
    expect(JSON.stringify((await t.call('GET', '/admin/v1/users')).data)).not.toContain(email);
  });

  it('409 for an email of another user, in whatever case', async () => {
    expect((await create({ email: 'ADA@facteur.test' })).status).toBe(409);
  });

  it.each([
    { email: 'no at' },
    { email: 'a@b\r\nBcc: c@d' },
    { email: 'a@b,c@d' },
    { email: 'ada@localhost' },
    { email: 'ada@-shop.example' },
    { email: 'é@shop.example' },
    { email: '=?utf-8?q?ada?=@shop.example' },
    { name: '' },
    { name: 'a\nb' },
    { password: 'short' },
    { id: 3 },
    { sites: [{ name: 'demo', role: 'owner' }] },
    { sites: ['demo'] },
    { isAdministrator: 'yes' },
  ])('400 for %j', async (body) => {
    expect((await create({ email: 'other@facteur.test', ...body })).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect(
      (await t.call('POST', '/admin/v1/users', { as: null, body: { name: 'a', email: 'a@b' } })).status,
    ).toBe(401);
    expect(
      (await t.call('POST', '/admin/v1/users', { as: 'sender', body: { name: 'a', email: 'a@b' } })).status,
    ).toBe(403);
  });
});
