import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';

describe('getMe', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ config: { sendDelayS: 40, importDelayS: 100 } });
  });
  afterAll(() => t.close());

  const me = (options: object) => t.call('GET', '/me', { site: null, ...options });
  const settings = { sendDelayInSeconds: 40, importDelayInSeconds: 100, publicAddress: expect.any(String) };

  it('200 shows the user of a session with the role on each site', async () => {
    const sites = [
      { name: 'demo', role: 'sender' },
      { name: 'other', role: 'reader' },
    ] as const;
    const { id, name, email, ...person } = await makePerson(t, { sites });
    const session = await makeSession(t, { ...person, email });
    expect((await me({ session })).data).toEqual({
      user: { id, name, email },
      isAdministrator: false,
      sites: sites.map((site) => ({ ...site, typedConfirmationFrom: 10_000 })),
      preferences: { theme: 'auto', density: 'comfortable' },
      settings,
    });
  });

  it('200 shows an administrator all sites, and a user without rights none', async () => {
    const administrator = await makeSession(t, await makePerson(t, { isAdministrator: true }));
    expect((await me({ session: administrator })).data).toMatchObject({
      isAdministrator: true,
      sites: [
        { name: 'demo', role: 'admin' },
        { name: 'other', role: 'admin' },
      ],
    });
    const nobody = await makeSession(t, await makePerson(t));
    expect((await me({ session: nobody })).data).toMatchObject({ isAdministrator: false, sites: [] });
  });

  it('200 shows a token its own sites and role, whatever its user may do', async () => {
    expect((await me({ as: 'reader' })).data).toEqual({
      user: { id: expect.any(Number), name: 'Ada', email: 'ada@facteur.test' },
      isAdministrator: false,
      sites: [{ name: 'demo', role: 'reader', typedConfirmationFrom: 10_000 }],
      preferences: { theme: 'auto', density: 'comfortable' },
      settings,
    });
    expect((await me({ as: 'admin' })).data).toMatchObject({
      isAdministrator: true,
      sites: [
        { name: 'demo', role: 'admin' },
        { name: 'other', role: 'admin' },
      ],
    });
  });
});
