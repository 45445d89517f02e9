import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { jobsOf, makeReadyCampaign } from '../../testing/sending-campaign.ts';
import { findJob, moveJob, reportHindrance } from '../job-store.ts';
import { sendingOperations as operations } from '../operations.ts';

describe('pauseCampaign', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const pause = (id: number, as: 'editor' | 'sender' = 'sender') =>
    t.call('POST', '/campaigns/pause', { body: id, as });
  async function started(): Promise<{ id: number; idJob: number }> {
    const id = await makeReadyCampaign(t.db);
    await t.call('POST', '/campaigns/send-now', { body: id });
    return { id, idJob: (await jobsOf(t.db, id))[0]!.id };
  }

  it('200 while it is planned, generated and sent: job and campaign together', async () => {
    for (const steps of [[], ['Generating'], ['Generating', 'Sending']] as const) {
      const { id, idJob } = await started();
      for (const state of steps) await moveJob(t.db, idJob, state);
      await reportHindrance(t.db, idJob, 'No relay can be used; sending is retried');
      expect(await pause(id)).toMatchObject({ status: 200, data: true });
      expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Paused', campaignState: 'Paused' }]);
      expect((await findJob(t.db, idJob))!.errorInfo).toBe(null);
    }
  });

  it('200 for one of a concurrent pause and stop, or for both in that order', async () => {
    const { id } = await started();
    const [paused, stopped] = await Promise.all([pause(id), t.call('POST', '/campaigns/stop', { body: id })]);
    // A stop is allowed before and after a pause, a pause only before a stop.
    expect(stopped.status).toBe(200);
    expect([200, 409]).toContain(paused.status);
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
  });

  it('403 for an editor', async () => {
    expect((await pause(await makeReadyCampaign(t.db), 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign', async () => {
    expect((await pause(999_999)).error).toBe('Campaign not found');
  });

  it('409 for a campaign that is neither planned nor sent, naming both states', async () => {
    const { id } = await started();
    await pause(id);
    expect((await pause(id)).error).toBe('The campaign is already paused');
    const idle = await makeReadyCampaign(t.db);
    expect(await pause(idle)).toMatchObject({
      status: 409,
      error: 'The campaign has no schedule, so it cannot be paused',
    });
  });
});
