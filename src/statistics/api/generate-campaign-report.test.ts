import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeClicks } from '../../testing/make-clicks.ts';
import { findReport } from '../report-store.ts';
import { forgetReports } from '../tasks/forget-reports.ts';

describe('generateCampaignReport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const generate = (query: Record<string, number | boolean>) =>
    t.call('POST', '/statistics/report', { query, as: 'reader' });
  const find = (guid: string) => findReport(t.app.control, guid, t.clock.now());

  it('200 with a GUID, whose figures are those of the sending and stay as they are', async () => {
    const { idJob, idSent } = await makeClicks(t);
    for (const of of [0, idSent]) {
      const reply = await generate({ idJob, idSent: of, mpp: true });
      expect(reply).toMatchObject({ status: 200, typeName: 'String' });
      expect(reply.data).toMatch(/^[0-9a-f-]{36}$/);
      await t.db.run(sql`update ${t.db.t.job} set campaign_name = 'Renamed' where id = ${idJob}`);
      const { figures } = (await find(reply.data))!;
      expect(figures).toMatchObject({
        idJob,
        mpp: true,
        counters: { nbAddressSent: 3, nbOpeners: 3, nbOpenings: 3, nbClickers: 2, nbClicks: 3 },
        withoutMpp: { openers: 2, openings: 2 },
      });
      expect(figures.providers.map(({ name, openersWithoutMpp }) => [name, openersWithoutMpp])).toEqual([
        ['', 2],
      ]);
      expect(figures.links.map(({ nbClickers }) => nbClickers)).toEqual([2, 0]);
      expect(figures.hours).toHaveLength(3);
    }
  });

  it('the database does not know the GUID, and the report no longer exists after 30 days', async () => {
    const { idJob } = await makeClicks(t);
    const guid = (await generate({ idJob, idSent: 0, mpp: false })).data as string;
    const rows = await t.app.control.rows(sql`select * from facteur.report`);
    expect(JSON.stringify(rows)).not.toContain(guid);
    t.clock.advance(30 * 86_400_000 - 1_000);
    expect(await find(guid)).toBeDefined();
    t.clock.advance(1_000);
    expect(await find(guid)).toBeUndefined();
    await forgetReports.run(t.app, {}, new AbortController().signal);
    expect(await t.app.control.rows(sql`select from facteur.report`)).toEqual([]);
  });

  it('404 for an unknown job, and a sending of another job', async () => {
    const [one, other] = [await makeClicks(t), await makeClicks(t)];
    for (const query of [
      { idJob: 99_999, idSent: 0 },
      { idJob: one.idJob, idSent: other.idSent },
    ])
      expect(await generate({ ...query, mpp: true })).toMatchObject({
        status: 404,
        error: 'Sending not found',
      });
  });

  it('422 when the site has 1,000 reports, until one expires', async () => {
    const { idJob } = await makeClicks(t);
    const now = t.clock.now();
    await t.app.control.run(sql`
      insert into facteur.report (guid_hash, id_site, figures, expires_at)
      select sha256(convert_to(n::text, 'UTF8')), ${t.db.site.id}, '{}', ${now}::timestamptz + n * interval '1 minute'
      from generate_series(1, 1000) n`);
    expect(await generate({ idJob, idSent: 0, mpp: true })).toMatchObject({
      status: 422,
      error: expect.stringContaining('The site has 1000 reports'),
    });
    t.clock.advance(60_000);
    expect((await generate({ idJob, idSent: 0, mpp: true })).status).toBe(200);
  });

  it('400 without mpp', async () => {
    expect((await generate({ idJob: 1, idSent: 0 })).error).toBe('mpp: is required');
  });
});
