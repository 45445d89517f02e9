import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { type MadeJob, makeJob } from '../../testing/make-sent.ts';
import { freezeJob } from '../../testing/sending-campaign.ts';
import { statisticsOperations as operations } from '../operations.ts';

describe('listJobSendings', () => {
  let t: TestApp;
  let job: MadeJob;
  const parameters = {
    name: 'All',
    isExcluded: false,
    isRandom: false,
    percent: 100,
    mailObject: null,
    fixedValues: 0,
  };
  let idTarget: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTarget = await makeTarget(t.db);
    job = await makeJob(t.db, { sents: 2, nbAddressToSend: 5, campaignName: 'News' });
    await freezeJob(t.db, job.idJob, '<p>Hello</p>');
    const frozen = JSON.stringify({ ...parameters, idTarget });
    await t.db.run(sql`update ${t.db.t.sent} set parameters = ${frozen}::jsonb where id_job = ${job.idJob}`);
  });
  afterAll(() => t.close());

  const list = (query: Record<string, number | boolean>) =>
    t.call('GET', '/campaigns/job-sendings', { query, as: 'reader' });
  const ids = () => ({ idCampaign: job.idCampaign, idJob: job.idJob });

  it('200 with the sendings of the job, each beside its segment as it was sent', async () => {
    const reply = await list(ids());
    expect(reply).toMatchObject({ status: 200, typeName: 'SentWithSegment[]' });
    expect(reply.data).toMatchObject([
      {
        campaignName: 'News',
        sent: { idSent: job.idsSent[0], idJob: job.idJob, nbAddressToSend: 5, msgHtml: null, msgTxt: null },
        segment: { id: 1, position: 1, parameters: { ...parameters, idTarget }, lastCount: 5, isSafe: true },
      },
      { sent: { idSent: job.idsSent[1] }, segment: { id: 2, position: 2 } },
    ]);
  });

  it('200 with the contents when they are requested', async () => {
    const reply = await list({ ...ids(), includeContent: true });
    expect(reply.data).toMatchObject([{ sent: { msgHtml: '<p>Hello</p>', msgTxt: null } }, {}]);
  });

  it('400 without a job', async () => {
    expect((await list({ idCampaign: 1 })).error).toBe('idJob: is required');
  });

  it('404 for an unknown campaign or job, and for a job of another campaign', async () => {
    const other = await makeJob(t.db);
    expect((await list({ idCampaign: 999_999, idJob: job.idJob })).error).toBe('Campaign not found');
    expect((await list({ ...ids(), idJob: 999_999 })).error).toBe('Job not found');
    expect((await list({ ...ids(), idJob: other.idJob })).error).toBe('Job not found');
  });
});
