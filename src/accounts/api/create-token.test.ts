import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { findCaller } from '../caller-store.ts';
import { createUser, updateUser } from '../user-store.ts';

describe('createToken', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (body: object) =>
    t.call('POST', '/admin/v1/tokens', { body: { idUser: 1, role: 'reader', sites: ['demo'], ...body } });
  const bare = async (text: string, site?: string) => findCaller(t.app.control, text, site, t.clock.now());

  it('200 returns the token once and keeps only its SHA-256', async () => {
    const reply = await create({
      label: 'shop',
      sites: ['demo', 'demo'],
      expirationDate: '2026-12-01T00:00:00Z',
    });
    expect(reply.status).toBe(200);
    const { token, details } = reply.data as { token: string; details: Record<string, unknown> };
    expect(token).toMatch(/^fct_[\w-]{43}$/);
    expect(details).toMatchObject({
      label: 'shop',
      role: 'reader',
      sites: ['demo'],
      expirationDate: '2026-12-01T00:00:00.000Z',
      revocationDate: null,
      lastUseDate: null,
    });
    const { rows } = await t.app.control.pool.query('select * from facteur.token where id = $1', [
      details.id,
    ]);
    expect(rows[0].hash).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(rows[0])).not.toContain(token);
    expect(await bare(token, 'demo')).toMatchObject({ reachesSite: true });
    expect(await bare(token, 'other')).toMatchObject({ reachesSite: false });
  });

  it('200 an admin token of some sites does not administer the installation', async () => {
    const { token } = (await create({ role: 'admin' })).data as { token: string };
    expect((await bare(token, 'demo'))!.caller.rights.has('admin')).toBe(true);
    expect((await bare(token))!.caller.rights.size).toBe(0);
  });

  it('403 says so to that token, and does not say that the role is missing', async () => {
    const { token } = (await create({ role: 'admin' })).data as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const reply = await t.server.inject({ method: 'GET', url: '/admin/v1/sites', headers });
    expect([reply.statusCode, reply.json().error]).toEqual([
      403,
      "Administration needs a token of all sites with the role 'admin'; this token reaches only some sites",
    ]);
  });

  it('409 for a disabled user', async () => {
    const leaver = { name: 'Bo', email: 'bo@facteur.test' };
    const { id } = await createUser(t.app.control, leaver, t.clock.now());
    await updateUser(t.app.control, id, { isDisabled: true });
    expect(await create({ idUser: id })).toMatchObject({
      status: 409,
      error: expect.stringContaining('idUser: the user is disabled'),
    });
  });

  it('404 for an unknown user or site', async () => {
    expect((await create({ idUser: 99 })).error).toBe('idUser: User not found');
    expect((await create({ sites: ['demo', 'nowhere'] })).error).toBe('sites: Site not found');
  });

  it.each([
    { role: 'root' },
    { sites: [] },
    { sites: 'demo' },
    { expirationDate: '2026-11-20T10:00:00Z' },
    { expirationDate: 'tomorrow' },
    { label: 'a\nb' },
    { hash: 'x' },
  ])('400 for %j', async (body) => {
    expect((await create(body)).status).toBe(400);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect(
      (
        await t.call('POST', '/admin/v1/tokens', {
          as: null,
          body: { idUser: 1, role: 'reader', sites: null },
        })
      ).status,
    ).toBe(401);
    expect(
      (
        await t.call('POST', '/admin/v1/tokens', {
          as: 'sender',
          body: { idUser: 1, role: 'reader', sites: null },
        })
      ).status,
    ).toBe(403);
  });
});
