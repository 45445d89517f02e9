import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { insertAuditEntries } from '../audit-entry-store.ts';
import { forgetAuditEntries } from './forget-audit-entries.ts';

describe('forgetAuditEntries', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('deletes entries after 400 days, however many there are, and no others', async () => {
    const daysAgo = (days: number) => new Date(t.clock.now().getTime() - days * 86_400_000);
    const entry = {
      idUser: 1,
      idToken: null,
      idSite: null,
      siteName: null,
      status: 200,
      address: null,
      ids: {},
    };
    const old = Array.from({ length: 10_001 }, () => ({ ...entry, at: daysAgo(401), operation: 'old' }));
    await insertAuditEntries(t.app.control, [
      ...old,
      { ...entry, at: daysAgo(399), operation: 'kept' },
      { ...entry, at: daysAgo(0), operation: 'new' },
    ]);
    await forgetAuditEntries.run(t.app, {}, new AbortController().signal);
    const { rows } = await t.app.control.pool.query('select operation from facteur.audit_entry order by at');
    expect(rows.map(({ operation }) => operation)).toEqual(['kept', 'new']);
  });
});
