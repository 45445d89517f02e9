import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { statisticsOperations as operations } from '../operations.ts';

describe('listJobSendingsShort', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const list = (query: Record<string, number>) =>
    t.call('GET', '/campaigns/job-sendings/short', { query, as: 'reader' });

  it('200 with the members that the document keeps, and no other', async () => {
    const { idCampaign, idJob, idsSent } = await makeJob(t.db, { campaignName: 'News', isTest: true });
    const parameters = JSON.stringify({ name: 'All', idTarget: 7, percent: 100 });
    await t.db.run(sql`update ${t.db.t.sent} set parameters = ${parameters}::jsonb where id_job = ${idJob}`);
    const reply = await list({ idCampaign, idJob });
    expect(reply).toMatchObject({ status: 200, typeName: 'ShortSentWithSegment[]' });
    expect(reply.data).toEqual([
      {
        campaignName: 'News',
        sent: {
          idSent: idsSent[0],
          startDate: '2026-11-19T09:00:00.000Z',
          endDate: null,
          idSending: expect.any(Number),
          isTest: true,
          filterName: 'All',
          idJob,
        },
        segment: { id: 1, parameters: { name: 'All', idTarget: 7 } },
      },
    ]);
  });

  it('400 without a campaign', async () => {
    expect((await list({ idJob: 1 })).error).toBe('idCampaign: is required');
  });

  it('404 for an unknown job', async () => {
    const { idCampaign } = await makeJob(t.db);
    expect((await list({ idCampaign, idJob: 999_999 })).error).toBe('Job not found');
  });
});
