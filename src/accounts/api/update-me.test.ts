import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';

describe('updateMe', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const update = (preferences: unknown, options: object) =>
    t.call('PUT', '/me', { site: null, body: { preferences }, ...options });
  const preferencesOf = async (session: string) =>
    ((await t.call('GET', '/me', { session, site: null })).data as { preferences: object }).preferences;

  it('200 changes what is given, for all sessions of the user and nobody else', async () => {
    const person = await makePerson(t);
    const [here, there] = [await makeSession(t, person), await makeSession(t, person)];
    const other = await makeSession(t, await makePerson(t));
    expect(await preferencesOf(here)).toEqual({ theme: 'auto', density: 'comfortable' });
    const reply = await update({ theme: 'dark' }, { session: here });
    expect([reply.status, reply.typeName]).toEqual([200, 'Me']);
    expect(reply.data).toMatchObject({
      user: { id: person.id },
      preferences: { theme: 'dark', density: 'comfortable' },
    });
    await update({ theme: null, density: 'compact' }, { session: there });
    for (const session of [here, there])
      expect(await preferencesOf(session)).toEqual({ theme: 'dark', density: 'compact' });
    expect(await preferencesOf(other)).toEqual({ theme: 'auto', density: 'comfortable' });
  });

  it('200 with a token of any role: it acts for its user, and shows its own rights', async () => {
    const { data } = await update({ density: 'compact' }, { as: 'reader' });
    expect(data).toMatchObject({
      sites: [{ name: 'demo', role: 'reader' }],
      preferences: { theme: 'auto', density: 'compact' },
    });
  });

  it.each([[{ theme: 'blue' }], [{ density: '' }], [{ language: 'fr' }], ['dark'], [undefined]])(
    '400 for %j',
    async (preferences) => {
      expect((await update(preferences, { as: 'admin' })).status).toBe(400);
    },
  );

  it('401 without a token', async () => {
    expect((await update({ theme: 'dark' }, { as: null })).status).toBe(401);
  });
});
