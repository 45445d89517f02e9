import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { setSchedule, setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { readCalendar, readDaily, type Schedule } from '../schedule.ts';

describe('getCampaignSchedule', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const read = (id: number) => t.call('GET', `/campaigns/${id}/schedule`, { as: 'reader' });
  const planned = async (schedule: Schedule): Promise<number> => {
    const id = await makeCampaign(t.db);
    await t.db.transaction(async (tx) => {
      await setScheduleState(tx, id, 'Programmed');
      await setSchedule(tx, id, schedule);
    });
    return id;
  };
  const rule = {
    startDate: '2026-12-01T00:00:00',
    endDate: '2026-12-24T23:59:59',
    sendingTime: '08:00:00',
    frequency: 3,
  };

  it('200 without dates for a campaign that has no schedule', async () => {
    expect(await read(await makeCampaign(t.db))).toMatchObject({
      ...{ status: 200, typeName: 'CampaignSchedule' },
      data: { type: 'None', state: 'None', dates: [], daily: null },
    });
  });

  it('200 with all dates of a calendar, in order', async () => {
    const [first, second] = ['2026-12-01T07:00:00.000Z', '2026-12-24T17:00:00.000Z'] as const;
    const id = await planned(readCalendar([second, first], t.clock.now())!);
    expect((await read(id)).data).toEqual({
      ...{ type: 'Calendar', state: 'Programmed' },
      dates: [first, second],
      daily: null,
    });
  });

  it('200 with the rule of a daily schedule and its next date, until it is stopped', async () => {
    const id = await planned(readDaily(rule, t.clock.now()));
    expect((await read(id)).data).toEqual({
      ...{ type: 'Daily', state: 'Programmed' },
      dates: ['2026-12-01T07:00:00.000Z'],
      daily: { ...rule, startDate: '2026-11-30T23:00:00.000Z', endDate: '2026-12-24T22:59:59.000Z' },
    });
    await t.db.transaction((tx) => setScheduleState(tx, id, 'Stopped'));
    expect((await read(id)).data).toEqual({ type: 'Daily', state: 'Stopped', dates: [], daily: null });
  });

  it('200 with null for the end of a daily schedule that has none', async () => {
    const { startDate, sendingTime } = rule;
    const id = await planned(readDaily({ startDate, sendingTime }, t.clock.now()));
    expect((await read(id)).data).toMatchObject({ daily: { endDate: null, frequency: 1 } });
  });

  it('404 for an unknown campaign', async () => {
    expect(await read(999_999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });
});
