import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAlert } from '../../testing/make-alert.ts';

describe('listAlerts', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query = {}) => t.call('GET', '/admin/v1/alerts', { query });

  it('200 with the open alerts of all sites, or with all', async () => {
    expect((await list()).data).toEqual([]);
    await makeAlert(t);
    await makeAlert(t, { idSite: t.otherDb.site.id, level: 1 });
    const over = await makeAlert(t, { senderDomain: 'over.example' });
    await t.app.control.run(sql`update facteur.alert set ended_at = now() where id = ${over}::uuid`);
    const open = (await list()).data as { siteName: string; isSuspended: boolean }[];
    expect(open.map(({ siteName }) => siteName).sort()).toEqual(['demo', 'other']);
    expect(open.find(({ siteName }) => siteName === 'other')!.isSuspended).toBe(false);
    expect((await list({ isOpen: false })).data).toHaveLength(3);
  });

  it('400 for what is neither true nor false', async () => {
    expect((await list({ isOpen: 'perhaps' })).status).toBe(400);
  });
});
