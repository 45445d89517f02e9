import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';
import type { AuditEntryPage } from '../audit-entry.ts';

describe('listSiteAuditEntries', () => {
  let t: TestApp;
  /** The session of an administrator of the site `demo` alone. */
  let session: string;
  beforeAll(async () => {
    t = await testApp({ audits: true });
    session = await makeSession(t, await makePerson(t, { sites: [{ name: 'demo', role: 'admin' }] }));
  });
  afterAll(() => t.close());

  async function entries(query: Record<string, string | number> = {}) {
    await t.audit.idle();
    const reply = await t.call('GET', '/audit-entries', { as: 'admin', query });
    expect(reply).toMatchObject({ status: 200, typeName: 'AuditEntryPage' });
    return (reply.data as AuditEntryPage).entries;
  }
  const thematic = () => ({ name: randomBytes(8).toString('hex'), description: '' });

  it('200 lists the entries of its site alone, whatever a caller of another site does', async () => {
    await t.call('POST', '/thematics', { as: 'admin', site: 'other', body: thematic() });
    // A caller of `demo` alone tries it on the other site.
    const foreign = { session, site: 'other' };
    expect((await t.call('POST', '/thematics', { ...foreign, body: thematic() })).status).toBe(404);
    expect((await t.call('DELETE', '/admin/v1/sites/other/routes/7', { session })).status).toBe(403);
    await t.call('POST', '/thematics', { session, body: thematic() });
    await t.call('DELETE', '/admin/v1/sites/demo/routes/7');
    expect(await entries()).toMatchObject([
      { operation: 'deleteRoute', site: 'demo', status: 404, ids: { idRoute: 7, idsite: 'demo' } },
      { operation: 'createThematic', site: 'demo', status: 200 },
    ]);
    const others = await t.call('GET', '/audit-entries', { as: 'admin', site: 'other' });
    expect((others.data as AuditEntryPage).entries).toMatchObject([
      { operation: 'createThematic', site: 'other', status: 200 },
    ]);
    // What was tried on the other site is in the installation's log.
    const all = await t.call('GET', '/admin/v1/audit-entries', { query: { operation: 'deleteRoute' } });
    expect((all.data as AuditEntryPage).entries).toMatchObject([
      { status: 404, site: 'demo' },
      { status: 403, site: null, ids: { idRoute: 7, idsite: 'other' } },
    ]);
  });

  it('200 filters by user, operation and time', async () => {
    const [newest, first] = await entries();
    expect(await entries({ operation: 'createThematic' })).toEqual([first]);
    expect(await entries({ idUser: first!.idUser })).toEqual([first]);
    expect(await entries({ from: '2030-01-01T00:00:00Z' })).toEqual([]);
    expect(await entries({ to: '2030-01-01T00:00:00Z' })).toEqual([newest, first]);
  });

  it('400 for a text that is no cursor, and for a site', async () => {
    const statusOf = async (query: Record<string, string>) =>
      (await t.call('GET', '/audit-entries', { as: 'admin', query })).status;
    expect(await statusOf({ before: 'x' })).toBe(400);
    expect(await statusOf({ site: 'other' })).toBe(400);
  });

  it('401 without a token, 403 for a sender, 404 for a site without access', async () => {
    expect((await t.call('GET', '/audit-entries', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/audit-entries', { as: 'sender' })).status).toBe(403);
    expect((await t.call('GET', '/audit-entries', { session, site: 'other' })).status).toBe(404);
  });
});
