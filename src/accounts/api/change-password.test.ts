import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession, personPassword } from '../../testing/make-session.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import { createPasswordLink, takePasswordLink } from '../password-link-store.ts';
import { wrongPasswordsOfAccount } from '../sign-in.ts';
import { updateUser } from '../user-store.ts';

const newPassword = 'another horse battery';

describe('changePassword', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const change = (session: string, currentPassword = personPassword) =>
    t.call('PUT', '/me/password', { session, site: null, body: { currentPassword, newPassword } });
  const status = async (session: string) => (await t.call('GET', '/me', { session, site: null })).status;
  const signIn = async (email: string, password: string) =>
    (await t.call('POST', '/session', { as: null, site: null, body: { email, password } })).status;

  it('200 sets it, and ends the other sessions and the password link', async () => {
    const person = await makePerson(t);
    const [own, other] = [await makeSession(t, person), await makeSession(t, person)];
    const ofAnother = await makeSession(t);
    const link = await createPasswordLink(t.app.control, person.id, t.clock.now());
    expect(await change(own)).toMatchObject({ status: 200, data: true });
    expect([await status(own), await status(other), await status(ofAnother)]).toEqual([200, 401, 200]);
    expect([await signIn(person.email, personPassword), await signIn(person.email, newPassword)]).toEqual([
      401, 200,
    ]);
    expect(await takePasswordLink(t.app.control, link, personPassword, t.clock.now())).toBe(false);
  });

  it('422 for a wrong current password, 429 after many, and nothing is changed', async () => {
    const person = await makePerson(t);
    const session = await makeSession(t, person);
    for (let i = 0; i < wrongPasswordsOfAccount; i++)
      expect(await change(session, 'wrong')).toMatchObject({
        status: 422,
        error: 'currentPassword: is incorrect',
      });
    expect((await change(session)).status).toBe(429);
    expect(await status(session)).toBe(200);
  });

  it('422 when another change of the password comes between, and that one stays', async () => {
    const person = await makePerson(t);
    const session = await makeSession(t, person);
    const changed = await t.app.control.transaction(async (tx) => {
      await updateUser(tx, person.id, { password: 'from the administrator' });
      const waiting = change(session);
      await untilWaiting(t.app.control, 'update facteur.app_user set password_hash%');
      return { waiting };
    });
    expect((await changed.waiting).status).toBe(422);
    expect(await signIn(person.email, 'from the administrator')).toBe(200);
  });

  it('422 for the user of a token who has no password', async () => {
    const body = { currentPassword: personPassword, newPassword };
    expect((await t.call('PUT', '/me/password', { as: 'sender', site: null, body })).status).toBe(422);
  });

  it('400 for a short password', async () => {
    const body = { currentPassword: personPassword, newPassword: 'short' };
    const session = await makeSession(t);
    expect(await t.call('PUT', '/me/password', { session, site: null, body })).toMatchObject({
      status: 400,
      error: expect.stringContaining('newPassword'),
    });
  });
});
