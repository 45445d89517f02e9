import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';

describe('updateSite', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ audits: true });
  });
  afterAll(() => t.close());

  const update = (body: object, options = {}) => t.call('PUT', '/site', { as: 'admin', body, ...options });
  const sitesOf = async (session: string) =>
    ((await t.call('GET', '/me', { session, site: null })).data as { sites: object[] }).sites;

  it('200 changes this site only, for all who have access to it', async () => {
    const sites = [
      { name: 'demo', role: 'admin' },
      { name: 'other', role: 'sender' },
    ] as const;
    const [admin, sender] = [
      await makeSession(t, await makePerson(t, { sites })),
      await makeSession(t, await makePerson(t, { sites: [{ name: 'demo', role: 'sender' }] })),
    ];
    const reply = await update({ typedConfirmationFrom: 5000 }, { session: admin });
    expect([reply.status, reply.typeName]).toEqual([200, 'Site']);
    expect(reply.data).toMatchObject({ name: 'demo', typedConfirmationFrom: 5000 });
    expect(await sitesOf(admin)).toEqual([
      { name: 'demo', role: 'admin', typedConfirmationFrom: 5000 },
      { name: 'other', role: 'sender', typedConfirmationFrom: 10_000 },
    ]);
    expect(await sitesOf(sender)).toEqual([{ name: 'demo', role: 'sender', typedConfirmationFrom: 5000 }]);
    // An administrator of one site is none of another.
    const onOther = await update({ typedConfirmationFrom: 1 }, { session: admin, site: 'other' });
    expect(onOther.status).toBe(403);
  });

  it('200 with 0, and leaves an entry in the audit log of the site', async () => {
    expect((await update({ typedConfirmationFrom: 0 })).data).toMatchObject({ typedConfirmationFrom: 0 });
    await t.audit.idle();
    const query = { site: 'demo', operation: 'updateSite' };
    const { data } = await t.call('GET', '/admin/v1/audit-entries', { query });
    expect((data as { entries: object[] }).entries[0]).toMatchObject({
      ...{ site: 'demo', operation: 'updateSite', status: 200, userName: 'Ada' },
    });
  });

  it.each([
    [{ typedConfirmationFrom: -1 }],
    [{ typedConfirmationFrom: 2.5 }],
    [{ typedConfirmationFrom: '10' }],
    [{ typedConfirmationFrom: null }],
    [{ typedConfirmationFrom: 2147483648 }],
    [{}],
    [{ typedConfirmationFrom: 1, schema: 'public' }],
  ])('400 for %j', async (body) => {
    const reply = await update(body);
    expect([reply.status, reply.error]).toEqual([400, expect.any(String)]);
  });

  it('404 for a site that the token has no access to', async () => {
    expect((await update({ typedConfirmationFrom: 1 }, { as: 'sender', site: 'other' })).status).toBe(404);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await update({ typedConfirmationFrom: 1 }, { as: null })).status).toBe(401);
    expect((await update({ typedConfirmationFrom: 1 }, { as: 'sender' })).status).toBe(403);
  });
});
