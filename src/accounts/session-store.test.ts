import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../api.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makePerson, makeSession } from '../testing/make-session.ts';
import { until } from '../testing/until.ts';
import { idleMs, sessionMs } from './session.ts';
import { createSession, findSession } from './session-store.ts';
import { setPassword, signInUser, updateUser } from './user-store.ts';

const exampleOfTarget = operations.find(({ id }) => id === 'createTarget')!.example;

describe('a session', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp();
  });
  afterEach(() => t.close());

  const status = async (session: string, path = '/fields', options: object = {}) =>
    (await t.call('GET', path, { session, ...options })).status;
  const header = async (headers: Record<string, string>) =>
    (await t.server.inject({ url: '/v1/demo/fields', headers })).statusCode;

  it('has the rights that its user has on each site, and administers nothing', async () => {
    const sites = [
      { name: 'demo', role: 'editor' },
      { name: 'other', role: 'reader' },
    ] as const;
    const session = await makeSession(t, await makePerson(t, { sites }));
    const create = (site: string) => t.call('POST', '/targets', { session, site, body: exampleOfTarget });
    expect((await create('demo')).status).toBe(200);
    expect(await create('other')).toMatchObject({
      status: 403,
      error: "Your role lacks the right 'write' that this operation needs",
    });
    expect(await status(session, '/fields', { site: 'nosuch' })).toBe(404);
    expect(await t.call('GET', '/admin/v1/users', { session })).toMatchObject({
      status: 403,
      error: 'Administration is for administrators of the installation',
    });
  });

  it('is not kept alive by the check of an open stream', async () => {
    const session = await makeSession(t);
    const { control } = t.app;
    const early = new Date(t.clock.now().getTime() - 600_000);
    await control.run(sql`update facteur.session set last_used_at = ${early}`);
    const lastUse = async () =>
      (await control.one<{ at: Date }>(sql`select last_used_at as at from facteur.session`)).at;
    expect(await findSession(control, session, 'demo', t.clock.now(), true)).toBeDefined();
    expect(await lastUse()).toEqual(early);
    await findSession(control, session, 'demo', t.clock.now());
    expect(await lastUse()).toEqual(t.clock.now());
  });

  it('has no access to a site on which its user has no role', async () => {
    const session = await makeSession(t, await makePerson(t, { sites: [{ name: 'demo', role: 'admin' }] }));
    expect(await t.call('GET', '/fields', { session, site: 'other' })).toMatchObject({
      status: 404,
      error: 'Site not found',
    });
  });

  it('of an administrator has all rights on all sites, and administers', async () => {
    const session = await makeSession(t, await makePerson(t, { isAdministrator: true }));
    expect(await status(session, '/fields', { site: 'other' })).toBe(200);
    expect(await status(session, '/admin/v1/users')).toBe(200);
  });

  it('follows a change of the rights at the next request', async () => {
    const person = await makePerson(t, { sites: [{ name: 'demo', role: 'admin' }] });
    const session = await makeSession(t, person);
    expect(await status(session)).toBe(200);
    await t.call('PUT', `/admin/v1/users/${person.id}`, { body: { sites: [] } });
    expect(await status(session)).toBe(404);
  });

  it('ends when its user is disabled or gets another password', async () => {
    for (const change of [{ isDisabled: true }, { password: 'another horse battery' }, { password: null }]) {
      const person = await makePerson(t, { sites: [{ name: 'demo', role: 'reader' }] });
      const session = await makeSession(t, person);
      expect(await status(session)).toBe(200);
      await t.call('PUT', `/admin/v1/users/${person.id}`, { body: change });
      await t.call('PUT', `/admin/v1/users/${person.id}`, { body: { isDisabled: false } });
      expect(await status(session)).toBe(401);
    }
  });

  it('ends 12 hours after its last request and 30 days after it began', async () => {
    const session = await makeSession(t);
    t.clock.advance(idleMs - 1000);
    expect(await status(session)).toBe(200);
    t.clock.advance(idleMs - 1000);
    expect(await status(session)).toBe(200);
    t.clock.advance(idleMs + 1000);
    expect(await status(session)).toBe(401);
    const kept = await makeSession(t);
    for (let at = 0; at < sessionMs - idleMs; at += idleMs / 2) {
      t.clock.advance(idleMs / 2);
      await status(kept);
    }
    t.clock.advance(idleMs / 2);
    expect(await status(kept)).toBe(200);
    t.clock.advance(idleMs / 2 + 1000);
    expect(await status(kept)).toBe(401);
    // The next sign-in clears what has ended.
    await makeSession(t);
    expect((await t.app.control.pool.query('select from facteur.session')).rowCount).toBe(1);
  });

  it('writes its last use once a minute at most', async () => {
    const session = await makeSession(t);
    const lastUse = async () =>
      (await t.app.control.pool.query('select last_used_at from facteur.session')).rows[0].last_used_at;
    const before = await lastUse();
    t.clock.advance(59_000);
    await status(session);
    expect(await lastUse()).toEqual(before);
    t.clock.advance(2_000);
    await status(session);
    expect(await lastUse()).toEqual(t.clock.now());
  });

  it('is no token, and a token is no session', async () => {
    const session = await makeSession(t);
    expect(await header({ authorization: `Bearer ${session}` })).toBe(401);
    expect(await header({ cookie: `facteur_session=${t.token('reader').slice(7)}` })).toBe(401);
  });

  it('gives way to a token in the same request, even to a wrong one', async () => {
    const cookie = `a=b; facteur_session=${await makeSession(t)}; c=d`;
    expect(await header({ cookie })).toBe(200);
    expect(await header({ cookie, authorization: 'Bearer wrong' })).toBe(401);
    expect(await header({ cookie, authorization: 'Basic YTpi' })).toBe(401);
    // A token needs no origin, as no browser sends one along by itself.
    const withToken = await t.server.inject({
      method: 'PUT',
      url: '/v1/demo/targets/1',
      headers: { cookie, authorization: t.token('sender') },
      payload: {},
    });
    expect(withToken.statusCode).not.toBe(403);
  });

  it('is not made with a password that is being changed', async () => {
    const person = await makePerson(t);
    const user = (await signInUser(t.app.control, person.email))!;
    let made: Promise<string | undefined> | undefined;
    await t.app.control.transaction(async (tx) => {
      await setPassword(tx, person.id, 'x');
      made = createSession(t.app.control, user, t.clock.now());
      const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      const waits = async () =>
        (await t.app.control.first(
          sql`select from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`,
        )) !== undefined;
      await until(waits, 'the sign-in to wait for the change');
    });
    expect(await made).toBeUndefined();
    await updateUser(t.app.control, person.id, { password: 'another horse battery' });
    expect(await createSession(t.app.control, user, t.clock.now())).toBeUndefined();
  });
});
