import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { routesOf } from '../route-store.ts';
import { createToken } from '../token-store.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls', username: 'u', password: 'secret' };

describe('createRoute', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (body: object, site = 'demo') =>
    t.call('POST', `/admin/v1/sites/${site}/routes`, { body: { ...relay, ...body } });

  it('200 adds a route whose password the engine can read and the table does not show', async () => {
    const reply = await create({});
    expect(reply.status).toBe(200);
    expect(reply.data).toEqual({
      id: expect.any(Number),
      position: 1,
      host: 'relay.example.org',
      port: 587,
      tls: 'starttls',
      username: 'u',
      hasPassword: true,
      maxConnections: 10,
      messagesPerHour: 0,
      webhook: null,
    });
    const [route] = await routesOf(t.app.control, t.app.secrets, t.db.site.id);
    expect(route).toMatchObject({ password: 'secret', idSite: t.db.site.id });
    const { rows } = await t.app.control.pool.query('select password from facteur.route');
    expect(rows[0].password.toString('latin1')).not.toContain('secret');
  });

  it.each([
    { host: 'a b' },
    { host: 'a\r\nb' },
    { host: '' },
    { host: 'relay.example:25' },
    { host: '-relay.example' },
    { host: '1.2.3' },
    { port: 0 },
    { port: 65536 },
    { tls: 'ssl' },
    { maxConnections: 0 },
    { messagesPerHour: -1 },
    { idSite: 2 },
  ])('400 for %j', async (body) => {
    expect((await create(body)).status).toBe(400);
  });

  it('404 for an unknown site', async () => {
    expect((await create({}, 'nowhere')).status).toBe(404);
  });

  it('200 for a relay inside our network, which only an administrator of all sites can name', async () => {
    for (const host of ['127.0.0.1', '10.0.0.25', '::1', 'localhost'])
      expect(await create({ host })).toMatchObject({ status: 200, data: { host } });
    const admin = { idUser: 1, label: '', role: 'admin', expiresAt: null } as const;
    const { text } = await createToken(t.app.control, { ...admin, idsSite: [t.db.site.id] }, t.clock.now());
    const before = await routesOf(t.app.control, t.app.secrets, t.db.site.id);
    const url = '/admin/v1/sites/demo/routes';
    for (const token of [`Bearer ${text}`, t.token('reader'), t.token('editor'), t.token('sender')]) {
      const headers = { authorization: token };
      for (const call of [
        { method: 'POST', url },
        { method: 'PUT', url: `${url}/${before[0]!.id}` },
      ] as const) {
        const reply = await t.server.inject({ ...call, headers, payload: { ...relay, host: '10.0.0.26' } });
        expect(reply.statusCode).toBe(403);
      }
    }
    expect(await routesOf(t.app.control, t.app.secrets, t.db.site.id)).toEqual(before);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('POST', '/admin/v1/sites/demo/routes', { as: null, body: relay })).status).toBe(401);
    expect((await t.call('POST', '/admin/v1/sites/demo/routes', { as: 'sender', body: relay })).status).toBe(
      403,
    );
  });
});
