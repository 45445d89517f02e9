import { describe, expect, it } from 'vitest';
import { readCalendar, readDaily, type Schedule, scheduleAfter } from './schedule.ts';

const now = new Date('2026-11-20T10:00:00Z');
/** The dates that a schedule goes through. */
function datesOf(schedule: Schedule | null, max: number): string[] {
  const dates: string[] = [];
  for (let at = schedule; at && dates.length < max; at = scheduleAfter(at, at.dates[0]!))
    dates.push(at.dates[0]!.toISOString());
  return dates;
}

describe('a calendar', () => {
  it('has its dates in order, read in Paris unless they have an offset', () => {
    const calendar = readCalendar(['2026-12-24T08:00:00', '2026-07-01T08:00:00+02:00'], new Date(0));
    expect(datesOf(calendar, 5)).toEqual(['2026-07-01T06:00:00.000Z', '2026-12-24T07:00:00.000Z']);
  });

  it('takes a date that is up to a minute past, and has none without dates', () => {
    expect(datesOf(readCalendar(['2026-11-20T09:59:00Z'], now), 5)).toEqual(['2026-11-20T09:59:00.000Z']);
    expect(() => readCalendar(['2026-11-20T09:58:59.999Z'], now)).toThrow(
      '[0]: 2026-11-20T09:58:59.999Z is past',
    );
    expect(readCalendar([], now)).toBe(null);
  });

  it('knows that two wall times in the gap of spring are one instant', () => {
    const dates = ['2027-03-28T02:10:00', '2027-03-28T02:50:00'];
    expect(() => readCalendar(dates, now)).toThrow(
      '[1]: is the same instant as [0] (2027-03-28T01:00:00.000Z)',
    );
  });
});

describe('a daily schedule', () => {
  it.each([
    ['spring', '2027-03-27', ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30']],
    ['autumn', '2027-10-30', ['2027-10-30T00:30', '2027-10-31T00:30', '2027-11-01T01:30']],
  ])('runs once in the night of the clock change in %s', (_season, day, dates) => {
    const daily = readDaily({ startDate: `${day}T00:00:00`, sendingTime: '02:30:00' }, now);
    expect(datesOf(daily, 3)).toEqual(dates.map((date) => `${date}:00.000Z`));
  });

  it('counts its days from the first, whenever it is read', () => {
    const infos = { startDate: '2026-01-01T09:00:00', sendingTime: '08:00:00', frequency: 100 };
    const dates = ['2026-04-12T06:00:00.000Z', '2026-07-21T06:00:00.000Z', '2026-10-29T07:00:00.000Z'];
    expect(datesOf(readDaily(infos, new Date('2026-02-01T00:00:00Z')), 3)).toEqual(dates);
    expect(datesOf(readDaily(infos, new Date('2026-05-01T00:00:00Z')), 2)).toEqual(dates.slice(1));
  });

  it('ends with its end, at which it still runs', () => {
    const infos = { startDate: '2026-11-20T11:00:00', sendingTime: '11:00:00', frequency: 1 };
    const upTo = (endDate: string) => datesOf(readDaily({ ...infos, endDate }, now), 9).length;
    expect([upTo('2026-11-22T11:00:00'), upTo('2026-11-22T10:59:59')]).toEqual([3, 2]);
  });
});
