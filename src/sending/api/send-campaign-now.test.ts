import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setScheduleState } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import {
  freezeJob,
  isOffered,
  jobsOf,
  makeReadyCampaign,
  waitingTasks,
} from '../../testing/sending-campaign.ts';
import { moveJob } from '../job-store.ts';
import { sendingOperations as operations } from '../operations.ts';

const inThirtySeconds = new Date('2026-11-20T10:00:30Z');

describe('sendCampaignNow', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations, config: { sendDelayS: 30 } });
  });
  afterAll(() => t.close());

  const send = (body: unknown, as: 'reader' | 'editor' | 'sender' = 'sender') =>
    t.call('POST', '/campaigns/send-now', { body, as });
  const act = (action: string, id: number) => t.call('POST', `/campaigns/${action}`, { body: id });

  it('200 true, with a job and its task 30 seconds later', async () => {
    const id = await makeReadyCampaign(t.db);
    expect(await send(id)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    const [job] = await jobsOf(t.db, id);
    expect(job).toMatchObject({
      state: 'Programmed',
      isTest: false,
      scheduledAt: inThirtySeconds,
      campaignState: 'Programmed',
    });
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: inThirtySeconds }]);
  });

  it('200 for one of five at once, 409 for the others', async () => {
    const id = await makeReadyCampaign(t.db);
    const replies = await Promise.all(Array.from({ length: 5 }, () => send(id)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await jobsOf(t.db, id)).toHaveLength(1);
  });

  it('200 again when it was stopped or has finished', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('stop', id);
    expect((await send(id)).status).toBe(200);
    const second = (await jobsOf(t.db, id))[1]!;
    for (const state of ['Generating', 'Sending', 'Finished'] as const) await moveJob(t.db, second.id, state);
    expect((await send(id)).status).toBe(200);
    expect((await jobsOf(t.db, id)).map((job) => job.state)).toEqual(['Stopped', 'Finished', 'Programmed']);
  });

  it('200 resumes what was paused before it was frozen: generated, not before its time', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('pause', id);
    expect((await send(id)).status).toBe(200);
    const [job, ...more] = await jobsOf(t.db, id);
    expect(more).toEqual([]);
    expect(job).toMatchObject({ state: 'Programmed', campaignState: 'Programmed' });
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: inThirtySeconds }]);
  });

  it('200 resumes what was paused for hours as if it were asked for now', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('pause', id);
    t.clock.advance(5 * 3_600_000);
    await send(id);
    const later = new Date('2026-11-20T15:00:00Z');
    const [job] = await jobsOf(t.db, id);
    expect(job).toMatchObject({ state: 'Programmed', scheduledAt: later });
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: later }]);
    t.clock.advance(-5 * 3_600_000);
  });

  it('200 resumes a sending where it stood, and wakes the engine', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    const [job] = await jobsOf(t.db, id);
    await moveJob(t.db, job!.id, 'Generating');
    await freezeJob(t.db, job!.id);
    await moveJob(t.db, job!.id, 'Sending');
    await act('pause', id);
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Paused', campaignState: 'Paused' }]);
    expect((await send(id)).status).toBe(200);
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Sending', campaignState: 'InProgress' }]);
    expect(await isOffered(t.db, job!.id)).toBe(true);
  });

  it('409 resumes no sending whose messages have expired meanwhile; it can be stopped', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    const [job] = await jobsOf(t.db, id);
    await moveJob(t.db, job!.id, 'Generating');
    const frozen = JSON.stringify({ source: { html: '<p>', text: '', expires: '2026-12-05T10:00:00.000Z' } });
    await t.db.run(sql`update ${t.db.t.job} set frozen = ${frozen}::jsonb where id = ${job!.id}`);
    await moveJob(t.db, job!.id, 'Sending');
    await act('pause', id);
    const days = 86_400_000;
    t.clock.advance(14 * days);
    expect((await send(id)).status).toBe(200);
    await act('pause', id);
    t.clock.advance(days);
    expect(await send(id)).toMatchObject({
      status: 409,
      error: 'The messages have expired (2026-12-05T10:00:00.000Z); stop the campaign instead',
    });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Paused', campaignState: 'Paused' }]);
    expect((await act('stop', id)).status).toBe(200);
    t.clock.advance(-15 * days);
  });

  it('200 for one of two resumes at once', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('pause', id);
    const replies = await Promise.all([send(id), send(id)]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
  });

  it('200 resumes a campaign that was paused while it waited for a date', async () => {
    const id = await makeReadyCampaign(t.db);
    await setScheduleState(t.db, id, 'Programmed', 'Calendar');
    await act('pause', id);
    expect((await send(id)).status).toBe(200);
    expect((await act('pause', id)).status).toBe(200);
  });

  it.each([['"7"'], [{ id: 7 }], [0], [1.5], [null], [[1]]])('400 for the body %j', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, error: expect.stringContaining('body: must be') });
  });

  it('403 for an editor, who may not send', async () => {
    const id = await makeReadyCampaign(t.db);
    expect(await send(id, 'editor')).toMatchObject({ status: 403, error: expect.stringContaining("'send'") });
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await send(999_999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('409 names both states', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    expect(await send(id)).toMatchObject({
      status: 409,
      error: 'The campaign is Programmed and cannot become Programmed',
    });
  });

  it('422 names everything that is missing, the unknown tags too', async () => {
    const id = await makeCampaign(t.db, {
      htmlContent: '<p>[[FLD.999]] [[FOO]]',
      parameters: { subject: '' },
    });
    const reply = await send(id);
    expect(reply.status).toBe(422);
    for (const part of ['no subject', '[[FLD.999]]', '[[FOO]]', 'no segment']) {
      expect(reply.error).toContain(part);
    }
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it('422 names the targets that are not safe', async () => {
    const id = await makeReadyCampaign(t.db);
    const idTarget = await makeTarget(t.db, { isSafe: false });
    await makeSegment(t.db, id, { idTarget });
    expect(await send(id)).toMatchObject({
      status: 422,
      error: `The campaign is not ready: targets that are not safe (notSafeTargetIds: ${idTarget})`,
    });
  });

  it.each([{ mode: 'Dynamic' }, { mode: 'External' }] as const)(
    '422 for a campaign of mode $mode',
    async (parameters) => {
      const { mode } = parameters;
      const id = await makeReadyCampaign(t.db, { parameters });
      expect(await send(id)).toMatchObject({
        status: 422,
        error: `A campaign of mode ${mode} cannot be sent to its segments`,
      });
    },
  );
});
