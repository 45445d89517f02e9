import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSession } from '../../testing/make-session.ts';
import type { AuditEntryPage, AuditEntryShown } from '../audit-entry.ts';
import { insertAuditEntries } from '../audit-entry-store.ts';

const path = '/admin/v1/audit-entries';

describe('listAuditEntries', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ audits: true });
  });
  afterAll(() => t.close());

  async function page(query: Record<string, string | number> = {}): Promise<AuditEntryPage> {
    await t.audit.idle();
    const reply = await t.call('GET', path, { query });
    expect(reply).toMatchObject({ status: 200, typeName: 'AuditEntryPage' });
    return reply.data;
  }
  const operationsOf = (entries: readonly AuditEntryShown[]) => entries.map(({ operation }) => operation);

  it('200 lists who did what, newest first', async () => {
    const { data: user } = await t.call('POST', '/admin/v1/users', {
      body: { name: 'Bea', email: 'bea@example.org', password: 'a very secret password' },
    });
    t.clock.advance(1000);
    await t.call('POST', '/thematics', { as: 'editor', body: { name: 'News', description: '' } });
    t.clock.advance(1000);
    const route = {
      host: 'relay.example.org',
      port: 587,
      tls: 'starttls',
      username: 'u',
      password: 'hidden 1',
    };
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: route });
    const { entries, next } = await page();
    expect(next).toBeNull();
    const common = { userName: 'Ada', status: 200, address: '127.0.0.1', idToken: expect.any(Number) };
    expect(entries).toMatchObject([
      { ...common, operation: 'createRoute', site: 'demo', ids: { id: (made.data as { id: number }).id } },
      { ...common, operation: 'createThematic', site: 'demo', date: '2026-11-20T10:00:01.000Z' },
      { ...common, operation: 'createUser', site: null, ids: { id: (user as { id: number }).id } },
    ]);
    // No password, name, address or host.
    expect(JSON.stringify(entries)).not.toMatch(/secret|hidden|Bea|bea@|relay|News/);
    const { rows } = await t.app.control.pool.query(
      'select to_jsonb(e)::text as all from facteur.audit_entry e',
    );
    expect(JSON.stringify(rows)).not.toMatch(/secret|hidden|Bea|bea@|relay|News/);
  });

  it('200 filters by user, site, operation and time', async () => {
    t.clock.advance(60_000);
    const from = t.clock.now().toISOString();
    const session = await makeSession(t);
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
    await t.call('POST', '/thematics', { site: 'shop', session, body: { name: 'Shop', description: '' } });
    t.clock.advance(1000);
    const to = t.clock.now().toISOString();
    await t.call('POST', '/thematics', { as: 'editor', body: { name: 'Later', description: '' } });
    const [later, ofSession, ofSite] = (await page({ from })).entries;
    expect([later!.operation, ofSession!.operation, ofSite!.operation]).toEqual([
      'createThematic',
      'createThematic',
      'createSite',
    ]);
    expect(ofSession).toMatchObject({ idToken: null, site: 'shop' });
    expect((await page({ from, to })).entries).toEqual([ofSession, ofSite]);
    expect((await page({ site: 'shop' })).entries).toEqual([ofSession]);
    expect((await page({ idUser: ofSession!.idUser })).entries).toEqual([ofSession]);
    expect((await page({ operation: 'createSite' })).entries).toEqual([ofSite]);
    expect(operationsOf((await page({ operation: 'deleteSite' })).entries)).toEqual([]);
  });

  it('200 a page of 100, and the next by its cursor, though all have one time', async () => {
    const at = new Date('2025-12-01T00:00:00.123Z');
    const entry = { at, idUser: 1, idToken: null, idSite: null, siteName: null, status: 200, address: null };
    const many = Array.from({ length: 205 }, (_, i) => ({
      ...entry,
      operation: 'createUser',
      ids: { id: i + 1 },
    }));
    await insertAuditEntries(t.app.control, many);
    const seen: unknown[] = [];
    let before: string | null = null;
    const sizes: number[] = [];
    do {
      const { entries, next }: AuditEntryPage = await page({
        to: '2026-01-01T00:00:00Z',
        ...(before !== null && { before }),
      });
      sizes.push(entries.length);
      seen.push(...entries.map(({ ids }) => ids.id));
      before = next;
    } while (before !== null);
    expect(sizes).toEqual([100, 100, 5]);
    expect(seen).toEqual(many.map(({ ids }) => ids.id).reverse());
  });

  it.each<Record<string, string | number>>([
    { before: '1' },
    { before: '2026-99-01T00:00:00.000Z_1' },
    { from: 'yesterday' },
    { site: 'No site' },
    { idUser: -1 },
    { user: 1 },
  ])('400 for %j', async (query) => {
    expect((await t.call('GET', path, { query })).status).toBe(400);
  });

  it('404 for an unknown site', async () => {
    expect((await t.call('GET', path, { query: { site: 'nowhere' } })).status).toBe(404);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', path, { as: null })).status).toBe(401);
    expect((await t.call('GET', path, { as: 'sender' })).status).toBe(403);
  });
});
