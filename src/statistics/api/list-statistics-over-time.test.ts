import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeClicks } from '../../testing/make-clicks.ts';
import type { TimeStatistics } from '../over-time.ts';

describe('listStatisticsOverTime', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query: Record<string, number | string>) =>
    t.call('GET', '/statistics/over-time', { query, as: 'reader' });

  it('200 by hour and by day of Paris, with the sums of the sending', async () => {
    const { idSent } = await makeClicks(t);
    const hours = (await list({ idSent, unit: 'hour' })).data as TimeStatistics[];
    expect(hours).toMatchObject([
      {
        date: '2026-11-20T10:00:00.000Z',
        nbOpenings: 1,
        nbOpeningsWithoutMpp: 1,
        nbClicks: 1,
        nbHumanClicks: 1,
      },
      // The click of a reader who fetched no picture is an open too.
      {
        date: '2026-11-20T11:00:00.000Z',
        nbOpenings: 1,
        nbOpeningsWithoutMpp: 1,
        nbClicks: 2,
        nbHumanClicks: 1,
      },
      {
        date: '2026-11-20T23:00:00.000Z',
        nbOpenings: 1,
        nbOpeningsWithoutMpp: 0,
        nbClicks: 0,
        nbHumanClicks: 0,
      },
    ]);
    const days = (await list({ idSent })).data as TimeStatistics[];
    expect(days).toMatchObject([
      { date: '2026-11-19T23:00:00.000Z', nbOpenings: 2, nbClicks: 3 },
      { date: '2026-11-20T23:00:00.000Z', nbOpenings: 1, nbClicks: 0 },
    ]);
    const [sum] = (await t.call('GET', '/statistics/sending', { query: { idSent } })).data as [
      { nbOpenings: number; nbClicks: number },
    ];
    for (const rows of [hours, days]) {
      expect(rows.reduce((all, one) => all + one.nbOpenings, 0)).toBe(sum.nbOpenings);
      expect(rows.reduce((all, one) => all + one.nbClicks, 0)).toBe(sum.nbClicks);
    }
  });

  it('400 for another unit, 404 for an unknown sending', async () => {
    expect((await list({ idSent: 1, unit: 'week' })).status).toBe(400);
    expect(await list({ idSent: 99_999 })).toMatchObject({ status: 404, error: 'Sending not found' });
  });
});
