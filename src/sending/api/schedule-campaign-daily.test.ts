import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { campaignsOperations } from '../../campaigns/operations.ts';
import { targetsOperations } from '../../targets/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers } from '../../testing/campaign-makers.ts';
import { failingTargets } from '../../testing/failing-targets.ts';
import { jobsOf, lastJob, makeReadyCampaign, waitingTasks } from '../../testing/sending-campaign.ts';
import { sendingOperations } from '../operations.ts';

let t: TestApp;
beforeAll(async () => {
  // The audience is empty, so a job is Finished as soon as it is generated.
  t = await testApp({ operations: [...campaignsOperations, ...targetsOperations, ...sendingOperations] });
});
beforeEach(() => t.clock.set('2026-11-20T10:00:00Z'));
afterAll(() => t.close());

const daily = { startDate: '2026-11-21T00:00:00', sendingTime: '08:00:00' };
const schedule = (id: number, body: unknown, as: 'editor' | 'sender' = 'sender') =>
  t.call('POST', `/campaigns/${id}/schedule/daily`, { body, as });
const act = (action: string, id: number) => t.call('POST', `/campaigns/${action}`, { body: id });
const infos = async (id: number) =>
  ((await t.call('GET', `/campaigns/${id}`)).data as { schedulingInfos: { calendarDates: string } })
    .schedulingInfos;
/** Runs the job that waits, at its time; the time. */
async function runNext(id: number): Promise<string> {
  const { scheduledAt } = (await jobsOf(t.db, id)).at(-1)!;
  t.clock.set(scheduledAt);
  await (await lastJob(t, id)).generate();
  return scheduledAt.toISOString();
}
async function scheduled(more: object = {}): Promise<number> {
  const id = await makeReadyCampaign(t.db);
  expect(await schedule(id, { ...daily, ...more })).toMatchObject({ status: 200, data: true });
  return id;
}

describe('scheduleCampaignDaily', () => {
  it('200: a job a day at the time in Paris until the end, and the next date is shown', async () => {
    const id = await scheduled({ endDate: '2026-11-22T08:00:00', frequency: 1 });
    const [job] = await jobsOf(t.db, id);
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: new Date('2026-11-21T07:00:00Z') }]);
    expect(await infos(id)).toEqual({
      calendarDates: '2026-11-21T07:00:00.000Z',
      type: 'Daily',
      state: 'Programmed',
    });
    await runNext(id);
    expect(await infos(id)).toMatchObject({ calendarDates: '2026-11-22T07:00:00.000Z', state: 'Programmed' });
    await runNext(id);
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Finished', 'Finished']);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Daily', state: 'Finished' });
  });

  it('200 every few days, counted from a start that may be past', async () => {
    const id = await scheduled({ startDate: '2026-11-16T09:00:00', frequency: 3 });
    // From the 17th, the first at eight after the start.
    expect([await runNext(id), await runNext(id), await runNext(id)]).toEqual([
      '2026-11-23T07:00:00.000Z',
      '2026-11-26T07:00:00.000Z',
      '2026-11-29T07:00:00.000Z',
    ]);
  });

  it.each([
    ['spring', '2026-03-28', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ['autumn', '2026-10-24', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
  ])(
    '200 over the clock change in %s: once a night, at 02:30 or the first instant after',
    async (_s, day, runs) => {
      t.clock.set(`${day}T00:00:00Z`);
      const id = await scheduled({ startDate: `${day}T00:00:00`, sendingTime: '02:30:00' });
      expect([await runNext(id), await runNext(id), await runNext(id)]).toEqual(
        runs.map((run) => `${run}:00.000Z`),
      );
    },
  );

  it('200: dates over which the service was down are missed, and the next one is sent', async () => {
    const id = await scheduled();
    t.clock.set('2026-11-23T09:00:00Z');
    for (let run = 0; run < 3; run++) await (await lastJob(t, id)).generate();
    expect(await jobsOf(t.db, id)).toMatchObject([
      { state: 'Error' },
      { state: 'Error' },
      { state: 'Error' },
      { state: 'Programmed', scheduledAt: new Date('2026-11-24T07:00:00Z'), campaignState: 'Programmed' },
    ]);
    await runNext(id);
    expect((await jobsOf(t.db, id)).map(({ state }) => state).slice(3)).toEqual(['Finished', 'Programmed']);
  });

  it('200: paused, resumed and stopped', async () => {
    const id = await scheduled();
    await runNext(id);
    expect((await act('pause', id)).status).toBe(200);
    expect(await infos(id)).toMatchObject({ calendarDates: '2026-11-22T07:00:00.000Z', state: 'Paused' });
    expect((await act('send-now', id)).status).toBe(200);
    await runNext(id);
    expect((await act('stop', id)).status).toBe(200);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Daily', state: 'Stopped' });
    expect((await jobsOf(t.db, id)).map(({ state }) => state)).toEqual(['Finished', 'Finished', 'Stopped']);
  });

  it('200: a new schedule replaces the old one, a calendar too; send-now later has no dates left', async () => {
    const id = await scheduled();
    expect((await schedule(id, { ...daily, sendingTime: '09:00:00' })).status).toBe(200);
    expect(await infos(id)).toMatchObject({ calendarDates: '2026-11-21T08:00:00.000Z', type: 'Daily' });
    const body = ['2026-11-25T08:00:00'];
    expect((await t.call('POST', `/campaigns/${id}/schedule/calendar`, { body })).status).toBe(200);
    expect(await infos(id)).toMatchObject({ calendarDates: '2026-11-25T07:00:00.000Z', type: 'Calendar' });
    await runNext(id);
    expect(await infos(id)).toMatchObject({ calendarDates: '', state: 'Finished' });
    expect((await act('send-now', id)).status).toBe(200);
    await runNext(id);
    expect(await infos(id)).toEqual({ calendarDates: '', type: 'Immediate', state: 'Finished' });
  });

  it.each([
    [{ sendingTime: '8:00' }, 'sendingTime: must be HH:mm:ss'],
    [{ sendingTime: '24:00:00' }, 'sendingTime: must be HH:mm:ss'],
    [{ startDate: 'now' }, 'startDate: must be an ISO 8601 date-time, for example 2026-12-24T02:30:00+01:00'],
    [{ startDate: '1999-11-20T00:00:00' }, 'startDate: must be in the years 2000 to 2199'],
    [{ endDate: '2026-11-20T23:00:00' }, 'endDate: must not be before startDate'],
    [{ endDate: '2026-11-21T07:59:59' }, 'endDate: no date is left before it; choose a later one'],
  ])('400 for %j', async (more, error) => {
    const id = await makeReadyCampaign(t.db);
    expect(await schedule(id, { ...daily, ...more })).toMatchObject({ status: 400, error });
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it.each([
    [{}],
    [[]],
    [{ ...daily, frequency: 0 }],
    [{ ...daily, frequency: 1000 }],
    [{ ...daily, other: 1 }],
  ])('400 for the body %j', async (body) => {
    expect((await schedule(await makeReadyCampaign(t.db), body)).status).toBe(400);
  });

  it('403 for an editor, 404 for an unknown campaign', async () => {
    expect((await schedule(await makeReadyCampaign(t.db), daily, 'editor')).status).toBe(403);
    expect(await schedule(999_999, daily)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('409 while the campaign is paused or sent', async () => {
    const id = await scheduled();
    await act('pause', id);
    expect(await schedule(id, daily)).toMatchObject({
      status: 409,
      error: 'The campaign is paused; resume or stop it before you schedule it',
    });
  });

  it('422 for a campaign that is not ready, and for a one-shot one', async () => {
    expect((await schedule(await makeCampaign(t.db), daily)).status).toBe(422);
    const parameters = { name: 'Once', subject: 'Now', isOneshot: true };
    const id = await makeReadyCampaign(t.db, { parameters });
    expect((await schedule(id, daily)).error).toContain('one-shot');
    expect((await schedule(id, { ...daily, endDate: '2026-11-21T12:00:00' })).status).toBe(200);
  });

  it('503 for a target that cannot be checked now', async () => {
    const id = await makeCampaign(t.db);
    await makeSubscribers(t.db, [1]);
    const idTarget = (await failingTargets(t))[503];
    await makeSegment(t.db, id, { idTarget });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget, isEnabled: true, filters } });
    expect((await schedule(id, daily)).status).toBe(503);
  });
});
