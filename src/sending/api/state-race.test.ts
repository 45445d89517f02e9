import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { freezeJob, isOffered, jobsOf, makeReadyCampaign } from '../../testing/sending-campaign.ts';
import { campaignStateOf, isFinal, type JobState } from '../job.ts';
import { tryMoveJob } from '../job-store.ts';
import { sendingOperations as operations } from '../operations.ts';

// Users and the engine act on one campaign at the same time, in every order that comes up.
describe('operations and engine at once', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('never answer but 200 and 409, and never leave job and campaign apart', async () => {
    for (let round = 0; round < 25; round++) {
      const id = await makeReadyCampaign(t.db);
      const act = (action: string) => t.call('POST', `/campaigns/${action}`, { body: id });
      await act('send-now');
      const idJob = (await jobsOf(t.db, id))[0]!.id;
      const step = (from: JobState, to: JobState) => tryMoveJob(t.db, idJob, [from], to);
      if (round % 2) {
        await step('Programmed', 'Generating');
        await freezeJob(t.db, idJob);
        await step('Generating', 'Sending');
      }
      const [replies] = await Promise.all([
        Promise.all([act('pause'), act('send-now'), act('pause'), act('stop'), act('send-now')]),
        step('Programmed', 'Generating'),
        step('Generating', 'Sending'),
        step('Sending', 'Finished'),
        step('Sending', 'FinishedWithErrors'),
      ]);
      for (const reply of replies) expect([200, 409]).toContain(reply.status);
      const jobs = await jobsOf(t.db, id);
      const live = jobs.filter((job) => !isFinal(job.state));
      expect(live.length).toBeLessThanOrEqual(1);
      const last = jobs.at(-1)!;
      expect([round, last.state, last.campaignState]).toEqual([
        round,
        last.state,
        campaignStateOf(last.state),
      ]);
    }
  });

  it('leave no test mailing between two states, and never move its campaign', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1] });
    for (let round = 0; round < 25; round++) {
      const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
      const act = (action: string) => t.call('POST', `/campaigns/${action}`, { body: id });
      await act('test-mailing');
      const idJob = (await jobsOf(t.db, id))[0]!.id;
      const step = (from: JobState, to: JobState) => tryMoveJob(t.db, idJob, [from], to);
      if (round % 2) await step('Programmed', 'Generating');
      await freezeJob(t.db, idJob);
      const [replies] = await Promise.all([
        Promise.all([act('stop'), act('test-mailing'), act('pause'), act('stop'), act('stop')]),
        step('Programmed', 'Generating'),
        step('Generating', 'Sending'),
        step('Sending', 'Finished'),
      ]);
      for (const reply of replies) expect([200, 409]).toContain(reply.status);
      await act('stop');
      const jobs = await jobsOf(t.db, id);
      for (const job of jobs) expect([isFinal(job.state), job.campaignState]).toEqual([true, 'None']);
      expect(await isOffered(t.db, idJob)).toBe(jobs[0]!.state === 'Stopped');
    }
  });
});
