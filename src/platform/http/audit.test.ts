import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('the audit of administration', () => {
  let t: TestApp;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    t = await testApp({ log });
  });
  afterAll(() => t.close());

  const said = () => lines.filter(({ msg }) => msg === 'administration');

  it('says who did what to which site, and with what result; nothing that was given', async () => {
    const route = {
      host: 'relay.example.org',
      port: 587,
      tls: 'starttls',
      username: 'u',
      password: 'secret 1',
    };
    const path = '/admin/v1/sites/demo/routes';
    const made = await t.call('POST', path, { body: route });
    const { id }: { id: number } = made.data;
    expect(said().at(-1)).toMatchObject({
      audit: 'createRoute',
      idUser: expect.any(Number),
      idToken: expect.any(Number),
      user: 'Ada',
      address: '127.0.0.1',
      of: { idsite: 'demo' },
      id,
      // With those that a default filled in.
      members: ['position', 'host', 'port', 'tls', 'username', 'password'],
      status: 200,
      error: null,
      requestId: made.headers['x-request-id'],
    });
    await t.call('PUT', `${path}/999`, { body: { ...route, password: 'secret 2' } });
    expect(said().at(-1)).toMatchObject({
      audit: 'updateRoute',
      of: { idsite: 'demo', idRoute: 999 },
      status: 404,
      error: 'not_found',
    });
    await t.call('DELETE', `${path}/${id}`);
    expect(said().at(-1)).toMatchObject({
      audit: 'deleteRoute',
      of: { idsite: 'demo', idRoute: id },
      status: 200,
    });
    await t.call('GET', '/admin/v1/sites/demo/routes');
    expect(said().at(-1)).toMatchObject({ audit: 'listRoutes', members: [], status: 200 });
    expect(JSON.stringify(lines)).not.toMatch(/secret|relay\.example/);
  });

  it('also logs refused calls, without properties that the operation does not know', async () => {
    await t.call('POST', '/admin/v1/users', { as: 'sender', body: { name: 'a', email: 'a@b.example' } });
    expect(said().at(-1)).toMatchObject({ audit: 'createUser', status: 403, error: 'forbidden' });
    await t.call('POST', '/admin/v1/users', { body: { name: 'a', hunter2: 1 } });
    expect(said().at(-1)).toMatchObject({ status: 400, members: ['name'], error: 'invalid_input' });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  // The guard of tokens logs these.
  it('writes no line without a token, nor for operations of a site', async () => {
    const before = said().length;
    await t.call('GET', '/admin/v1/users', { as: null });
    await t.call('GET', '/fields', { query: { type: 'Unspecified' } });
    expect(said()).toHaveLength(before);
  });
});
