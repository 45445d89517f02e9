import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { until } from '../../testing/until.ts';
import { callerFinder, findCaller } from '../caller-store.ts';
import { createToken } from '../token-store.ts';
import { createUser } from '../user-store.ts';

describe('updateUser', () => {
  let t: TestApp;
  let made = 0;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const make = () => {
    made++;
    const user = { name: `Bo ${made}`, email: `bo${made}@facteur.test`, password: 'correct horse battery' };
    return createUser(t.app.control, user, t.clock.now());
  };
  const update = (id: number | string, body: object, as: 'admin' | 'sender' | null = 'admin') =>
    t.call('PUT', `/admin/v1/users/${id}`, { body, as });
  const passwordOf = async (id: number): Promise<string | null> =>
    (await t.app.control.pool.query('select password_hash from facteur.app_user where id = $1', [id])).rows[0]
      .password_hash;
  const tokenOf = async (idUser: number) => {
    const token = { idUser, label: '', role: 'sender', idsSite: [t.db.site.id], expiresAt: null } as const;
    return (await createToken(t.app.control, token, t.clock.now())).text;
  };

  it('200 changes what is given and leaves the rest', async () => {
    const user = await make();
    const reply = await update(user.id, { name: 'Zoé' });
    expect(reply).toMatchObject({ status: 200, data: { ...user, name: 'Zoé' }, typeName: 'User' });
    const email = `ZOE${made}@facteur.test`;
    expect((await update(user.id, { email, name: null, isDisabled: null })).data).toEqual({
      ...user,
      name: 'Zoé',
      email,
    });
    // The same email in another case is their own.
    expect((await update(user.id, { email: email.toLowerCase() })).status).toBe(200);
    expect(await verify((await passwordOf(user.id))!, 'correct horse battery')).toBe(true);
  });

  it('200 changes the password, and removes it when it is null', async () => {
    const { id } = await make();
    expect((await update(id, { password: 'another horse' })).data).toMatchObject({ hasPassword: true });
    expect(await verify((await passwordOf(id))!, 'another horse')).toBe(true);
    expect((await update(id, { password: null })).data).toMatchObject({ hasPassword: false });
    expect(await passwordOf(id)).toBeNull();
  });

  it('200 disables: their tokens are refused, even where they are cached, until they are enabled', async () => {
    const user = await make();
    const token = await tokenOf(user.id);
    // Another process, which has just used it.
    const elsewhere = callerFinder(t.app.control);
    const isGood = async () => (await elsewhere(token, 'demo', t.clock.now())) !== undefined;
    expect(await isGood()).toBe(true);
    expect((await update(user.id, { isDisabled: true })).data).toEqual({ ...user, isDisabled: true });
    expect(await findCaller(t.app.control, token, 'demo', t.clock.now())).toBeUndefined();
    const headers = { authorization: `Bearer ${token}` };
    expect((await t.server.inject({ url: '/v1/demo/fields', headers })).statusCode).toBe(401);
    await until(async () => !(await isGood()), 'the token to be refused');
    expect((await t.call('GET', '/admin/v1/users')).data).toContainEqual({ ...user, isDisabled: true });
    // Another property changes; they stay disabled.
    expect((await update(user.id, { name: 'Bo' })).data).toMatchObject({ isDisabled: true });
    await update(user.id, { isDisabled: false });
    await until(isGood, 'the token to be taken');
  });

  it('200 replaces the roles on sites, and keeps them when they are omitted', async () => {
    const { id } = await make();
    const sites = [{ name: 'demo', role: 'sender' }];
    expect((await update(id, { sites, isAdministrator: true })).data).toMatchObject({
      sites,
      isAdministrator: true,
    });
    expect((await update(id, { name: 'Bo', sites: null })).data).toMatchObject({ sites });
    const other = [{ name: 'other', role: 'reader' }];
    expect((await update(id, { sites: other, isAdministrator: false })).data).toMatchObject({
      sites: other,
      isAdministrator: false,
    });
    expect((await update(id, { sites: [] })).data).toMatchObject({ sites: [] });
  });

  it('404 for an unknown site, and nothing is changed', async () => {
    const user = await make();
    expect(await update(user.id, { name: 'x', sites: [{ name: 'nosuch', role: 'reader' }] })).toMatchObject({
      status: 404,
      error: 'sites: Site not found',
    });
    expect((await t.call('GET', '/admin/v1/users')).data).toContainEqual(user);
  });

  it('409 for an administrator who gives up the administration', async () => {
    expect(await update(1, { isAdministrator: true })).toMatchObject({ status: 200 });
    expect(await update(1, { isAdministrator: false })).toMatchObject({
      status: 409,
      error: 'Administrators cannot give up the administration themselves; another administrator must do it',
    });
  });

  it("409 for another user's email, in whatever case, and nothing is changed", async () => {
    const user = await make();
    expect(await update(user.id, { name: 'x', email: 'ADA@facteur.test' })).toMatchObject({
      status: 409,
      error: 'A user with this email already exists',
    });
    expect((await t.call('GET', '/admin/v1/users')).data).toContainEqual(user);
  });

  it('409 for a user who disables themselves', async () => {
    expect(await update(1, { isDisabled: true })).toMatchObject({
      status: 409,
      error: 'Users cannot disable themselves; another administrator must do it',
    });
    expect((await update(1, { isDisabled: false })).status).toBe(200);
  });

  it('200 for the email as it was read, also that of the first start', async () => {
    await t.app.control.pool.query(`insert into facteur.app_user (id, name, email, created_at)
      overriding system value values (4711, 'Administrator', 'admin@localhost', now())`);
    const reply = await update(4711, { name: 'Root', email: 'admin@localhost' });
    expect(reply).toMatchObject({ status: 200, data: { name: 'Root', email: 'admin@localhost' } });
  });

  it('404 for an unknown user', async () => {
    expect(await update(999, { name: 'Nobody' })).toMatchObject({ status: 404, error: 'User not found' });
  });

  it.each([
    { email: 'no at' },
    { email: 'a@b\r\nBcc: c@d' },
    { email: 'ada@localhost' },
    { name: '' },
    { name: 'a\nb' },
    { password: 'short' },
    { password: '' },
    { isDisabled: 1 },
    { rights: 'admin' },
  ])('400 for %j', async (body) => {
    const [member] = Object.keys(body);
    expect(await update(1, body)).toMatchObject({ status: 400, error: expect.stringContaining(member!) });
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await update(1, { name: 'x' }, null)).status).toBe(401);
    expect((await update(1, { name: 'x' }, 'sender')).status).toBe(403);
  });
});
