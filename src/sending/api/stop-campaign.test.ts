import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { freezeJob, isOffered, jobsOf, makeReadyCampaign } from '../../testing/sending-campaign.ts';
import type { JobState } from '../job.ts';
import { findJob, moveJob } from '../job-store.ts';
import { sendingOperations as operations } from '../operations.ts';

describe('stopCampaign', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const stop = (id: number, as: 'editor' | 'sender' = 'sender') =>
    t.call('POST', '/campaigns/stop', { body: id, as });
  async function started(): Promise<{ id: number; idJob: number }> {
    const id = await makeReadyCampaign(t.db);
    await t.call('POST', '/campaigns/send-now', { body: id });
    return { id, idJob: (await jobsOf(t.db, id))[0]!.id };
  }

  it.each<[JobState[]]>([
    [[]],
    [['Generating']],
    [['Generating', 'Sending']],
    [['Paused']],
    [['Generating', 'Sending', 'Paused']],
  ])('200 after the steps %j', async (steps) => {
    const { id, idJob } = await started();
    for (const state of steps) await moveJob(t.db, idJob, state);
    expect(await stop(id)).toMatchObject({ status: 200, data: true });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
    expect((await findJob(t.db, idJob))?.endedAt).toEqual(new Date('2026-11-20T10:00:00Z'));
    expect(await isOffered(t.db, idJob)).toBe(false);
  });

  it('200 and the engine is notified, when there are recipients to cancel', async () => {
    const { id, idJob } = await started();
    await moveJob(t.db, idJob, 'Generating');
    await freezeJob(t.db, idJob);
    await moveJob(t.db, idJob, 'Sending');
    await stop(id);
    expect(await isOffered(t.db, idJob)).toBe(true);
  });

  it('200 for one of two at once', async () => {
    const { id } = await started();
    const replies = await Promise.all([stop(id), stop(id)]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
  });

  describe('of test mailings', () => {
    async function withTests(count: number): Promise<{ id: number; tests: number[] }> {
      const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1] });
      const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
      for (let n = 0; n < count; n++) await t.call('POST', '/campaigns/test-mailing', { body: id });
      return { id, tests: (await jobsOf(t.db, id)).map((job) => job.id) };
    }

    it.each<[JobState[]]>([[[]], [['Generating', 'Sending']], [['Generating', 'Sending', 'Paused']]])(
      '200 after the steps %j: the tests end, the campaign stays where it was',
      async (steps) => {
        const { id, tests } = await withTests(2);
        await freezeJob(t.db, tests[0]!);
        for (const idJob of tests) for (const state of steps) await moveJob(t.db, idJob, state);
        expect(await stop(id)).toMatchObject({ status: 200, data: true });
        const ended = { state: 'Stopped', campaignState: 'None' };
        expect(await jobsOf(t.db, id)).toMatchObject([ended, ended]);
        expect(await isOffered(t.db, tests[0]!)).toBe(true);
        expect((await stop(id)).status).toBe(409);
      },
    );

    it('200 for the real sending and its tests together', async () => {
      const { id } = await withTests(1);
      await t.call('POST', '/campaigns/send-now', { body: id });
      expect((await stop(id)).status).toBe(200);
      const ended = { state: 'Stopped', campaignState: 'Stopped' };
      expect(await jobsOf(t.db, id)).toMatchObject([ended, ended]);
    });

    it('200 for one of two at once, and a pause leaves them alone', async () => {
      const { id } = await withTests(1);
      expect((await t.call('POST', '/campaigns/pause', { body: id })).status).toBe(409);
      expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Programmed' }]);
      const replies = await Promise.all([stop(id), stop(id)]);
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
    });
  });

  it('403 for an editor', async () => {
    expect((await stop(await makeReadyCampaign(t.db), 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign', async () => {
    expect((await stop(999_999)).error).toBe('Campaign not found');
  });

  it('409 for a campaign that is neither planned nor sent, naming both states', async () => {
    expect(await stop(await makeReadyCampaign(t.db))).toMatchObject({
      status: 409,
      error: 'The campaign has no schedule, so it cannot be stopped',
    });
  });
});
