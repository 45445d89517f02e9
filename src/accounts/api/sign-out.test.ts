import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';

describe('signOut', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 ends this session everywhere, removes its cookie, and leaves the others', async () => {
    const person = await makePerson(t);
    const [session, other] = [await makeSession(t, person), await makeSession(t, person)];
    const reply = await t.call('DELETE', '/session', { session, site: null });
    expect(reply).toMatchObject({ status: 200, data: true });
    expect(reply.headers['set-cookie']).toMatch(/^facteur_session=; Path=\/; Max-Age=0; HttpOnly/);
    const status = async (session: string) => (await t.call('GET', '/me', { session, site: null })).status;
    expect([await status(session), await status(other)]).toEqual([401, 200]);
    expect((await t.call('DELETE', '/session', { session, site: null })).status).toBe(401);
  });

  it('200 and false for a token, which it does not revoke', async () => {
    const call = () => t.call('DELETE', '/session', { as: 'reader', site: null });
    expect(await call()).toMatchObject({ status: 200, data: false });
    expect((await call()).headers['set-cookie']).toBeUndefined();
  });
});
