import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { campaignsOperations } from '../../campaigns/operations.ts';
import { listSegments } from '../../campaigns/segment-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import {
  freezeJob,
  isOffered,
  jobsOf,
  makeReadyCampaign,
  waitingTasks,
} from '../../testing/sending-campaign.ts';
import { addSents, keepSendings } from '../freeze.ts';
import type { JobState } from '../job.ts';
import { lastSentJob, moveJob } from '../job-store.ts';
import { sendingOperations as operations } from '../operations.ts';

const inThirtySeconds = new Date('2026-11-20T10:00:30Z');

describe('sendCampaignNow', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...campaignsOperations, ...operations], config: { sendDelayS: 30 } });
  });
  afterAll(() => t.close());

  const send = (body: unknown, as: 'reader' | 'editor' | 'sender' = 'sender') =>
    t.call('POST', '/campaigns/send-now', { body, as });
  /** Sends a campaign as far as `state`, to these subscribers of its audience; its job. */
  async function sent(id: number, state: JobState, accepted: readonly number[] = [1, 2]): Promise<number> {
    const body = { body: id, query: {} };
    const last = await lastSentJob(t.db, id);
    if (last) body.query = { afterJob: last.id };
    expect((await t.call('POST', '/campaigns/send-now', body)).error).toBe(null);
    const { id: idJob } = (await jobsOf(t.db, id)).at(-1)!;
    await moveJob(t.db, idJob, 'Generating');
    // A job that is being sent cannot end in an error.
    if (state !== 'Error') await moveJob(t.db, idJob, 'Sending');
    if (accepted.length > 0) await makeReceipts(t.db, idJob, await makeSentOf(idJob, id), { accepted });
    await moveJob(t.db, idJob, state, { endedAt: t.clock.now() });
    return idJob;
  }
  async function makeSentOf(idJob: number, idCampaign: number): Promise<number> {
    const segment = (await listSegments(t.db, idCampaign))[0]!;
    const sent = { segment, filterName: '', startedAt: t.clock.now() };
    await keepSendings(t.db, idCampaign, [segment]);
    return (await addSents(t.db, { id: idJob, idCampaign }, [sent]))[0]!;
  }
  const sendAgain = (id: number, afterJob: number) =>
    t.call('POST', '/campaigns/send-now', { body: id, query: { afterJob } });

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

  it('200 again when it was stopped or has finished before anybody was written to', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('stop', id);
    expect((await send(id)).status).toBe(200);
    const second = (await jobsOf(t.db, id))[1]!;
    for (const state of ['Generating', 'Sending', 'Finished'] as const) await moveJob(t.db, second.id, state);
    expect((await send(id)).status).toBe(200);
    expect((await jobsOf(t.db, id)).map((job) => job.state)).toEqual(['Stopped', 'Finished', 'Programmed']);
  });

  it.each(['Finished', 'FinishedWithErrors', 'Stopped', 'Error'] as const)(
    '409 when it has been sent (%s), 200 once for who names the job that it was sent with',
    async (state) => {
      const id = await makeReadyCampaign(t.db);
      const first = await sent(id, state);
      const been = `The campaign has been sent (job ${first}, ended 2026-11-20T10:00:00.000Z)`;
      const refused = `${been}; set afterJob to ${first} to send it to its audience again`;
      expect(await send(id)).toMatchObject({ status: 409, error: refused });
      expect(await sendAgain(id, first + 1)).toMatchObject({ status: 409, error: refused });
      const second = await sent(id, 'Finished');
      // The same call a second time, long after: as if an answer had got lost.
      expect(await sendAgain(id, first)).toMatchObject({
        status: 409,
        error: expect.stringContaining(`has been sent (job ${second}, `),
      });
      expect(await jobsOf(t.db, id)).toHaveLength(2);
      expect((await sendAgain(id, second)).status).toBe(200);
    },
  );

  it('409 even when it was changed since, and while a stopped sending is still being settled', async () => {
    const id = await makeReadyCampaign(t.db);
    const idJob = await sent(id, 'Stopped', []);
    const at = t.clock.now();
    const idSent = await makeSentOf(idJob, id);
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [1, 2], accepted: [1], at });
    const body = { id, parameters: { subject: 'Mended' } };
    expect((await t.call('PUT', '/campaigns', { body })).status).toBe(200);
    expect((await send(id)).status).toBe(409);
    expect((await sendAgain(id, idJob)).status).toBe(200);
  });

  it('409 for a one-shot campaign that has been sent; 200 before, and for test mailings', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true });
    const parameters = { name: 'Once', subject: 'It is here', isOneshot: true, idTestTarget };
    const id = await makeReadyCampaign(t.db, { parameters });
    await sent(id, 'Stopped', []);
    const idJob = await sent(id, 'Finished');
    const been = `has been sent (job ${idJob}, ended 2026-11-20T10:00:00.000Z)`;
    const error = `The campaign is one-shot (isOneshot) and ${been}`;
    expect(await send(id)).toMatchObject({ status: 409, error });
    expect(await sendAgain(id, idJob)).toMatchObject({ status: 409, error });
    expect((await act('test-mailing', id)).status).toBe(200);
    expect((await jobsOf(t.db, id)).filter((job) => !job.isTest)).toHaveLength(2);
  });

  it('409 with afterJob for a paused campaign: a call that comes twice undoes no pause', async () => {
    const id = await makeReadyCampaign(t.db);
    const first = await sent(id, 'Finished');
    expect((await sendAgain(id, first)).status).toBe(200);
    expect((await act('pause', id)).status).toBe(200);
    expect(await sendAgain(id, first)).toMatchObject({
      status: 409,
      error: 'afterJob: the campaign is paused, so it is not sent again; omit afterJob to resume it',
    });
    expect((await jobsOf(t.db, id)).at(-1)).toMatchObject({ state: 'Paused', campaignState: 'Paused' });
    expect((await send(id)).status).toBe(200);
  });

  it('409 that names both states while it is sent, ready or not', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    const [job] = await jobsOf(t.db, id);
    for (const step of ['Generating', 'Sending'] as const) await moveJob(t.db, job!.id, step);
    const error = 'The campaign is already being sent; stop it before you schedule it again';
    expect(await send(id)).toMatchObject({ status: 409, error });
    await t.db.run(sql`delete from ${t.db.t.segment} where id_campaign = ${id}`);
    expect(await send(id)).toMatchObject({ status: 409, error });
    expect(await sendAgain(id, job!.id)).toMatchObject({ status: 409, error });
  });

  it('200 although only test mailings were sent, or every recipient was refused', async () => {
    const id = await makeReadyCampaign(t.db);
    const { idJob, idsSent } = await makeJob(t.db, { idCampaign: id, isTest: true });
    await makeReceipts(t.db, idJob, idsSent[0]!, { accepted: [1] });
    const real = await makeJob(t.db, { idCampaign: id });
    await makeReceipts(t.db, real.idJob, real.idsSent[0]!, { accepted: [], refused: [1] });
    expect((await send(id)).status).toBe(200);
  });

  it('409 for a job that it was not sent with', async () => {
    const id = await makeReadyCampaign(t.db);
    expect(await sendAgain(id, 7)).toMatchObject({
      status: 409,
      error: 'afterJob: the campaign has not been sent yet, so it has no job 7; omit afterJob',
    });
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

  it('200 resumes what was paused for hours as if it were requested now', async () => {
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

  it('200 resumes a sending where it was paused, and wakes the engine', async () => {
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

  it('409 resumes no sending whose messages have expired in the meantime; it can be stopped', async () => {
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

  it('200 for one of two concurrent resumes', async () => {
    const id = await makeReadyCampaign(t.db);
    await send(id);
    await act('pause', id);
    const replies = await Promise.all([send(id), send(id)]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
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
      error: 'The campaign is already scheduled',
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
