import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { campaignsOperations } from '../../campaigns/operations.ts';
import { sql } from '../../platform/db/sql.ts';
import { targetsOperations } from '../../targets/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { failingTargets } from '../../testing/failing-targets.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { jobsOf, lastJob, makeReadyCampaign, waitingTasks } from '../../testing/sending-campaign.ts';
import { findJob, moveJob } from '../job-store.ts';
import { sendingOperations } from '../operations.ts';
import { generateJob } from '../tasks/generate-job.ts';

let t: TestApp;
beforeAll(async () => {
  // The audience is empty, so a job is Finished as soon as it is generated.
  t = await testApp({ operations: [...campaignsOperations, ...targetsOperations, ...sendingOperations] });
});
beforeEach(() => t.clock.set('2026-11-20T10:00:00Z'));
afterAll(() => t.close());

const schedule = (id: number, body: unknown, as: 'editor' | 'sender' = 'sender') =>
  t.call('POST', `/campaigns/${id}/schedule/calendar`, { body, as });
const act = (action: string, id: number) => t.call('POST', `/campaigns/${action}`, { body: id });
const infos = async (id: number) =>
  ((await t.call('GET', `/campaigns/${id}`)).data as { schedulingInfos: object }).schedulingInfos;
/** Runs the last job of the campaign at a time. */
async function runAt(id: number, time: string): Promise<void> {
  t.clock.set(time);
  await (await lastJob(t, id)).generate();
}
const [first, second, third] = [
  '2026-11-21T07:00:00.000Z',
  '2026-11-22T07:00:00.000Z',
  '2026-11-23T07:00:00.000Z',
] as const;
async function scheduled(...dates: string[]): Promise<number> {
  const id = await makeReadyCampaign(t.db);
  expect(await schedule(id, dates)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
  return id;
}

describe('scheduleCampaign', () => {
  it('200: the first date is a job with its task, all dates are shown in order, in lists too', async () => {
    const id = await scheduled('2026-11-23T08:00:00', '2026-11-21T08:00', second);
    const [job, ...more] = await jobsOf(t.db, id);
    expect(more).toEqual([]);
    const scheduledAt = new Date(first);
    expect(job).toMatchObject({
      state: 'Programmed',
      isTest: false,
      scheduledAt,
      campaignState: 'Programmed',
    });
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: scheduledAt }]);
    const shown = { calendarDates: [first, second, third].join(';'), type: 'Calendar', state: 'Programmed' };
    expect(await infos(id)).toEqual(shown);
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'DESC', 'filter.limit': 1 };
    const list = await t.call('GET', '/campaigns', { query });
    expect(list.data).toMatchObject({ items: [{ id, schedulingInfos: shown }] });
  });

  it('200: each date is sent once, and the next one is planned when the one before it ends', async () => {
    const id = await scheduled(first, second);
    await runAt(id, first);
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Finished' },
      { state: 'Programmed', scheduledAt: new Date(second), campaignState: 'Programmed' },
    ]);
    expect(await infos(id)).toEqual({ calendarDates: second, type: 'Calendar', state: 'Programmed' });
    const last = await lastJob(t, id);
    expect(await waitingTasks(t.db, last.idJob)).toEqual([{ runAt: new Date(second) }]);
    expect((await findJob(t.db, last.idJob))!.author).toBe((await findJob(t.db, last.idJob - 1))!.author);
    await runAt(id, second);
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Finished', 'Finished']);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Calendar', state: 'Finished' });
  });

  it.each([
    [
      'spring, 02:30 does not exist',
      '2026-03-28T12:00:00Z',
      '2026-03-29T02:30:00',
      '2026-03-29T01:00:00.000Z',
    ],
    ['autumn, 02:30 comes twice', '2026-10-24T12:00:00Z', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    [
      'autumn, the second 02:30',
      '2026-10-24T12:00:00Z',
      '2026-10-25T02:30:00+01:00',
      '2026-10-25T01:30:00.000Z',
    ],
  ])('200 in the night of the clock change in %s', async (_night, now, date, planned) => {
    t.clock.set(now);
    const id = await scheduled(date);
    expect(await jobsOf(t.db, id)).toMatchObject([{ scheduledAt: new Date(planned) }]);
    await runAt(id, planned);
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Finished']);
  });

  it('200: a date that is more than an hour late is missed, the next one continues', async () => {
    const id = await scheduled(first, second);
    await runAt(id, '2026-11-21T08:00:00.001Z');
    const [missed, next] = await jobsOf(t.db, id);
    expect(missed).toMatchObject({ state: 'Error', campaignState: 'Programmed' });
    const errorInfo = `Missed: it was to start at ${first}, more than an hour ago`;
    expect(await findJob(t.db, missed!.id)).toMatchObject({ errorInfo, startedAt: null });
    expect(next).toMatchObject({ state: 'Programmed', scheduledAt: new Date(second) });
    // An hour late to the millisecond is not too late.
    await runAt(id, '2026-11-22T08:00:00.000Z');
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Error', 'Finished']);
  });

  it('200: after a long downtime each past date is missed, and none is sent', async () => {
    const id = await scheduled(first, second, third);
    for (let run = 0; run < 3; run++) await runAt(id, '2026-11-30T10:00:00Z');
    const jobs = await jobsOf(t.db, id);
    expect(jobs.map(({ state }) => state)).toEqual(['Error', 'Error', 'Error']);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Calendar', state: 'Missed' });
    // It starts only when somebody requests it.
    expect((await act('send-now', id)).status).toBe(200);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Immediate', state: 'Programmed' });
  });

  it('200: a date at which the campaign is not ready is an Error, and the next one continues', async () => {
    const id = await scheduled(first, second);
    const subject = (text: string) =>
      t.call('PUT', '/campaigns', { body: { id, parameters: { subject: text } } });
    expect((await subject('')).status).toBe(200);
    await runAt(id, first);
    const [failed, next] = await jobsOf(t.db, id);
    expect(await findJob(t.db, failed!.id)).toMatchObject({ state: 'Error', errorInfo: 'no subject' });
    expect(next).toMatchObject({ state: 'Programmed', campaignState: 'Programmed' });
    // Edited while scheduled: what is sent is the campaign as it is at its date.
    expect((await subject('Mended')).status).toBe(200);
    await runAt(id, second);
    const sent = await t.db.one<{ subject: string; state: string }>(
      sql`select subject, state from ${t.db.t.job} where id = ${next!.id}`,
    );
    expect(sent).toEqual({ subject: 'Mended', state: 'Finished' });
  });

  it('200: new dates replace the old ones, an empty list takes them back', async () => {
    const id = await scheduled(first, second);
    const old = await lastJob(t, id);
    expect((await schedule(id, [third])).status).toBe(200);
    expect(await infos(id)).toEqual({ calendarDates: third, type: 'Calendar', state: 'Programmed' });
    t.clock.set(first);
    await old.generate();
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Stopped' },
      { state: 'Programmed', scheduledAt: new Date(third) },
    ]);
    expect((await schedule(id, [])).status).toBe(200);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'None', state: 'None' });
    await runAt(id, third);
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Stopped', 'Stopped']);
  });

  it('200 for both of two schedules at once: one of them holds, with one job', async () => {
    const id = await makeReadyCampaign(t.db);
    const replies = await Promise.all([schedule(id, [first]), schedule(id, [second]), schedule(id, [third])]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const live = (await jobsOf(t.db, id)).filter(({ state }) => state === 'Programmed');
    expect(live).toHaveLength(1);
    expect(await infos(id)).toMatchObject({ calendarDates: live[0]!.scheduledAt.toISOString() });
  });

  it('200: a stop ends all its dates', async () => {
    const id = await scheduled(first, second);
    await runAt(id, first);
    expect((await act('stop', id)).status).toBe(200);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Calendar', state: 'Stopped' });
    await runAt(id, second);
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Finished', 'Stopped']);
    // The same while a date is being sent.
    const sending = await scheduled('2026-11-25T07:00:00Z', '2026-11-26T07:00:00Z');
    for (const state of ['Generating', 'Sending'] as const)
      await moveJob(t.db, (await lastJob(t, sending)).idJob, state);
    expect((await act('stop', sending)).status).toBe(200);
    expect(await jobsOf(t.db, sending)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
  });

  it('200: a pause keeps the dates; resumed before its time, a date is sent at its time', async () => {
    const id = await scheduled(first, second);
    expect((await act('pause', id)).status).toBe(200);
    expect(await infos(id)).toMatchObject({ calendarDates: `${first};${second}`, state: 'Paused' });
    await runAt(id, first);
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Paused' }]);
    t.clock.set('2026-11-20T12:00:00Z');
    expect((await act('send-now', id)).status).toBe(200);
    const { idJob } = await lastJob(t, id);
    expect(await waitingTasks(t.db, idJob)).toEqual([{ runAt: new Date(first) }]);
    expect((await findJob(t.db, idJob))!.scheduledAt).toEqual(new Date(first));
  });

  it('200: a date that a pause passed over by more than an hour is missed, the next one is sent', async () => {
    const id = await scheduled(first, second);
    await act('pause', id);
    t.clock.set('2026-11-21T09:00:00Z');
    expect((await act('send-now', id)).status).toBe(200);
    await (await lastJob(t, id)).generate();
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Error', campaignState: 'Programmed' },
      { state: 'Programmed', scheduledAt: new Date(second) },
    ]);
    // Passed over by less, it is sent at once.
    await act('pause', id);
    t.clock.set('2026-11-22T07:30:00Z');
    expect((await act('send-now', id)).status).toBe(200);
    await (await lastJob(t, id)).generate();
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Error', 'Finished']);
  });

  it('200: a sending that is paused and resumed is finished, and the dates behind it continue', async () => {
    const id = await scheduled(first, second);
    const { idJob } = await lastJob(t, id);
    t.clock.set(first);
    for (const state of ['Generating', 'Sending'] as const) await moveJob(t.db, idJob, state);
    await t.db.run(sql`update ${t.db.t.job} set frozen = '{"source":{}}' where id = ${idJob}`);
    expect((await act('pause', id)).status).toBe(200);
    expect((await act('send-now', id)).status).toBe(200);
    await moveJob(t.db, idJob, 'FinishedWithErrors', { endedAt: t.clock.now() });
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'FinishedWithErrors' },
      { state: 'Programmed', scheduledAt: new Date(second), campaignState: 'Programmed' },
    ]);
  });

  it('400 for what are no dates that are to come, naming which', async () => {
    const id = await makeReadyCampaign(t.db);
    const refused = async (body: unknown) => (await schedule(id, body)).error;
    expect(await refused([first, '2026-11-20T09:58:59Z'])).toBe('[1]: 2026-11-20T09:58:59.000Z is past');
    expect(await refused(['tomorrow'])).toMatch(/^\[0\]: must be an ISO 8601 date-time/);
    expect(await refused(['2026-02-30T08:00:00'])).toMatch(/^\[0\]: must be an ISO 8601 date-time/);
    expect(await refused(['2226-11-20T08:00:00'])).toMatch(/must be in the years 2000 to 2199/);
    expect(await refused([first, '2026-11-21T08:00:00'])).toBe(`[1]: is the same instant as [0] (${first})`);
    expect(await refused(Array.from({ length: 367 }, () => first))).toBe('body: must have at most 366 items');
    expect(await refused({ dates: [first] })).toMatch(/^body: must be/);
    expect(await refused([7])).toBe('[0]: must be a string');
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it('403 for an editor, who may not send', async () => {
    const id = await makeReadyCampaign(t.db);
    expect((await schedule(id, [first], 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign, with dates and without', async () => {
    for (const body of [[first], []])
      expect(await schedule(999_999, body)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('409 while it is sent or paused, about to be sent now, or has no dates to take back', async () => {
    const id = await makeReadyCampaign(t.db);
    expect((await schedule(id, [])).error).toBe('The campaign already has no schedule');
    await act('send-now', id);
    const error = 'The campaign is about to be sent; stop it before you schedule it';
    for (const body of [[first], []]) expect(await schedule(id, body)).toMatchObject({ status: 409, error });
    const { idJob } = await lastJob(t, id);
    await moveJob(t.db, idJob, 'Generating');
    expect((await schedule(id, [first])).error).toBe(
      'The campaign is already being sent; stop it before you schedule it again',
    );
    expect((await schedule(id, [])).error).toBe('The campaign is being sent, so it cannot lose its schedule');
    await act('pause', id);
    expect((await schedule(id, [first])).error).toBe(
      'The campaign is paused; resume or stop it before you schedule it',
    );
    const planned = await scheduled(first);
    expect((await act('send-now', planned)).error).toBe('The campaign is already scheduled');
  });

  it('409 for a date for which it was begun: a call that comes twice mails nobody twice', async () => {
    const id = await scheduled('2026-11-20T10:00:00Z');
    const { idJob, generate } = await lastJob(t, id);
    await generate();
    expect(await schedule(id, ['2026-11-20T10:00:00Z', first])).toMatchObject({
      status: 409,
      error: `The campaign has already been begun for 2026-11-20T10:00:00.000Z (job ${idJob}); give a later date`,
    });
    expect((await schedule(id, [first])).status).toBe(200);
  });

  it('409 for a one-shot campaign that was sent, 422 for one with several dates', async () => {
    const parameters = { name: 'Once', subject: 'Now', isOneshot: true };
    const id = await makeReadyCampaign(t.db, { parameters });
    expect(await schedule(id, [first, second])).toMatchObject({
      status: 422,
      error:
        'The campaign is one-shot (isOneshot), so it is sent once; give one date, or set isOneshot to false',
    });
    expect((await schedule(id, [first])).status).toBe(200);
    await act('stop', id);
    const sent = await makeJob(t.db, { idCampaign: id });
    await makeReceipts(t.db, sent.idJob, sent.idsSent[0]!, { accepted: [1] });
    expect((await schedule(id, [second])).error).toContain('is one-shot (isOneshot) and has been sent');
    // Made one-shot while dates are left.
    const later = await scheduled(first);
    const before = await makeJob(t.db, { idCampaign: later });
    await makeReceipts(t.db, before.idJob, before.idsSent[0]!, { accepted: [1] });
    await t.call('PUT', '/campaigns', { body: { id: later, parameters: { isOneshot: true } } });
    t.clock.set(first);
    const waiting = (await jobsOf(t.db, later)).find(({ state }) => state === 'Programmed')!;
    const payload = { idSite: t.db.site.id, idJob: waiting.id };
    await generateJob.run(t.app, payload, new AbortController().signal);
    expect((await findJob(t.db, waiting.id))!.errorInfo).toContain(
      'is one-shot (isOneshot) and has been sent',
    );
  });

  it('422 names everything that is missing, and the targets that are not safe', async () => {
    const id = await makeCampaign(t.db, { parameters: { subject: '' } });
    const reply = await schedule(id, [first]);
    expect(reply.status).toBe(422);
    for (const part of ['no subject', 'no segment']) expect(reply.error).toContain(part);
    const idTarget = await makeTarget(t.db, { isSafe: false });
    const unsafe = await makeReadyCampaign(t.db);
    await makeSegment(t.db, unsafe, { idTarget });
    expect((await schedule(unsafe, [first])).error).toBe(
      `The campaign is not ready: targets that are not safe (notSafeTargetIds: ${idTarget})`,
    );
    const dynamic = await makeReadyCampaign(t.db, { parameters: { mode: 'Dynamic' } });
    expect((await schedule(dynamic, [first])).error).toBe(
      'A campaign of mode Dynamic cannot be sent to its segments',
    );
    for (const one of [id, unsafe, dynamic]) expect(await jobsOf(t.db, one)).toEqual([]);
  });

  it('422 leaves the schedule that it was to replace', async () => {
    const id = await scheduled(first);
    await t.call('PUT', '/campaigns', { body: { id, parameters: { subject: '' } } });
    expect((await schedule(id, [second])).status).toBe(422);
    expect(await infos(id)).toEqual({ calendarDates: first, type: 'Calendar', state: 'Programmed' });
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Programmed' }]);
  });

  it('503 for a target that cannot be checked now', async () => {
    const id = await makeCampaign(t.db);
    await makeSubscribers(t.db, [1]);
    const idTarget = (await failingTargets(t))[503];
    await makeSegment(t.db, id, { idTarget });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget, isEnabled: true, filters } });
    expect((await schedule(id, [first])).status).toBe(503);
  });
});
