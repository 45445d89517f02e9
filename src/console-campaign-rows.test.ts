import { describe, expect, it } from 'vitest';
import { daysLater, monthsLater, timeOf, weeksOf } from '../web/src/campaigns/calendar-days.ts';
import { type Campaign, missedStartOf, runningJobOf, waitingDatesOf } from '../web/src/campaigns/campaign.ts';
import { mostJobs, newestReasons } from '../web/src/campaigns/halt-reasons.ts';
import { changesOf, inPlace } from '../web/src/campaigns/list-changes.ts';
import { renewOf } from '../web/src/campaigns/renewal.ts';
import { comingDates, type DailyRule, faultOf, ruleOf, typedOf } from '../web/src/parts/daily-rule.ts';
import { wallTime } from '../web/src/targets/paris-time.ts';
import { type DailySchedule, scheduleAfter } from './campaigns/schedule.ts';
import { readRecurrence } from './imports/import-schedule.ts';
import { nextRun } from './platform/recurrence.ts';

/** The date of a rule after an instant, as the service counts it. */
const dateAfter = (daily: DailySchedule, at: Date): Date | undefined =>
  scheduleAfter({ type: 'Daily', dates: [], daily }, at)?.dates[0];

const rows = (ids: string) => [...ids].map((id) => ({ id: id.charCodeAt(0), value: '' }));

describe('rows of a list that stay in place', () => {
  it.each([
    ['the same rows', 'abcd', 'abcd', 0],
    ['a new row at the top', 'abcd', 'xabcd', 1],
    ['a new row that pushes the last one out', 'abcd', 'xabc', 1],
    ['a removed row', 'abcd', 'abd', 1],
    ['a row that moves to the top', 'abcd', 'dabc', 1],
    ['a new row, and one that moves', 'abcd', 'xcabd', 2],
    ['rows in reverse', 'abcd', 'dcba', 3],
    ['other rows', 'abcd', 'wxyz', 4],
    ['a list that was empty', '', 'ab', 2],
  ])('count %s', (_what, shown, fresh, changed) => {
    expect(changesOf(rows(shown), rows(fresh))).toBe(changed);
  });

  it('have the newest values', () => {
    const [a, b] = rows('ab') as [{ id: number; value: string }, { id: number; value: string }];
    const newest = { ...b, value: 'new' };
    expect(inPlace([a, b], [newest])).toEqual([a, newest]);
  });
});

describe('why campaigns of a list are halted', () => {
  it('is known of each, however many jobs another one has had since', async () => {
    const of = (idCampaign: number, jobErrorInfo: string | null) => ({ idCampaign, jobErrorInfo });
    const jobs = [
      of(7, 'the newest of the daily one'),
      ...Array.from({ length: 2 * mostJobs }, () => of(7, 'an older one')),
      ...[of(8, null), of(9, 'long ago')],
    ];
    const asked: (readonly number[])[] = [];
    const reasons = await newestReasons([6, 7, 8, 9], async (ids) => {
      asked.push(ids);
      return jobs.filter(({ idCampaign }) => ids.includes(idCampaign)).slice(0, mostJobs);
    });
    expect([...reasons]).toEqual([
      [7, 'the newest of the daily one'],
      [8, ''],
      [9, 'long ago'],
    ]);
    expect(asked).toEqual([
      [6, 7, 8, 9],
      [6, 8, 9],
    ]);
  });
});

describe('the calendar of campaigns', () => {
  it('has the whole weeks of a month, from Monday to Sunday', () => {
    expect(weeksOf('2026-11').map((week) => [week[0], week[6]])).toEqual([
      ['2026-10-26', '2026-11-01'],
      ['2026-11-02', '2026-11-08'],
      ['2026-11-09', '2026-11-15'],
      ['2026-11-16', '2026-11-22'],
      ['2026-11-23', '2026-11-29'],
      ['2026-11-30', '2026-12-06'],
    ]);
    // A February that begins on a Monday, and the month of a clock change.
    expect(weeksOf('2027-02')).toHaveLength(4);
    expect(weeksOf('2027-03').flat()).toHaveLength(35);
    for (const week of weeksOf('2028-02')) expect(new Set(week).size).toBe(7);
  });

  it('counts over the ends of months and years', () => {
    expect([daysLater('2028-02-28', 1), daysLater('2027-01-01', -1)]).toEqual(['2028-02-29', '2026-12-31']);
    expect([monthsLater('2026-12', 1), monthsLater('2027-01', -1)]).toEqual(['2027-01', '2026-12']);
  });

  it('keeps the time of the day in Paris, in summer and winter', () => {
    expect([timeOf('2026-07-01T05:30:00Z'), timeOf('2026-12-01T05:30:15Z')]).toEqual([
      '07:30:00',
      '06:30:15',
    ]);
  });
});

describe('a time of Paris', () => {
  it.each([
    ['2026-07-01T09:00', '2026-07-01T07:00:00.000Z', undefined, false],
    ['2026-12-01T09:00:15', '2026-12-01T08:00:15.000Z', undefined, false],
    ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z', undefined, true],
    ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z', undefined, false],
    ['1900-07-01T09:00', '1900-07-01T08:00:00.000Z', undefined, false],
    ['0002-07-01T09:00', '0002-07-01T08:00:00.000Z', undefined, false],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z', false],
  ])('%s is an instant, even where the clocks change', (text, instant, second, isSkipped) => {
    expect(wallTime(text)).toEqual({ instant, second, isSkipped });
  });

  it.each(['', 'T09:00', '2026-07-01', '2026-07-01T', '2026-07-01T9'])('%j is not complete', (text) => {
    expect(wallTime(text)).toBe(null);
  });
});

describe('a daily rule', () => {
  it.each([
    ['every night over a change of the clocks', '2026-03-27T12:00:00Z', '02:30:00', 1, null],
    ['every night over the other one', '2026-10-23T22:00:00Z', '02:30:00', 1, null],
    ['every 3 days from the past', '2026-11-16T08:00:00Z', '08:00:00', 3, null],
    ['from an hour after the time of the day', '2026-11-20T08:00:00Z', '08:00:15', 2, null],
    ['until a day', '2026-11-21T00:00:00Z', '08:00:00', 2, '2026-12-01T22:59:59.000Z'],
    ['until an instant at which it runs', '2026-11-21T00:00:00Z', '08:00:00', 2, '2026-11-27T07:00:00.000Z'],
    ['until the past', '2026-11-01T00:00:00Z', '08:00:00', 2, '2026-11-05T00:00:00.000Z'],
  ])('has the dates that the service counts: %s', (_what, startDate, time, frequency, endDate) => {
    const now = new Date(Math.max(Date.parse('2026-11-20T10:00:00Z'), Date.parse(startDate)));
    if (startDate < '2026-11') now.setTime(Date.parse(startDate));
    const daily = { startDate, endDate, sendingTime: time, frequency };
    const all: string[] = [];
    let date = new Date(now.getTime() - 1);
    for (let next = dateAfter(daily, date); next && all.length < 50; next = dateAfter(daily, date)) {
      all.push(next.toISOString());
      date = next;
    }
    expect(comingDates({ startDate, endDate, time, frequency }, now.getTime())).toEqual({
      next: all.slice(0, 3),
      more: endDate === null ? undefined : Math.max(0, all.length - 3),
    });
  });

  it.each([
    ['', '', 'noFrom'],
    ['0002-12-01', '', 'noFrom'],
    ['0202-12-01', '', 'noFrom'],
    ['20262-12-01', '', 'noFrom'],
    ['2098-12-01', '', undefined],
    ['2098-12-01', '2098-12-24', undefined],
    ['2098-12-01', '0209-12-24', 'noUntil'],
    ['2098-12-01', '20982-12-24', 'noUntil'],
    ['2098-12-01', '2098-11-24', 'endsBefore'],
  ])('from %j until %j has the fault of a day that is typed in part: %s', (from, until, fault) => {
    expect(faultOf({ from, until, time: '08:00', days: '2' })).toBe(fault);
  });

  const repeated: readonly [Partial<DailyRule>, string][] = [
    [{ unit: 'Hour', frequency: 1, time: '00:00:00' }, '2026-11-16T09:30:00Z'],
    [{ unit: 'Hour', frequency: 6, time: '01:30:00' }, '2026-11-16T00:30:00Z'],
    [{ unit: 'Hour', frequency: 7, time: '22:00:00' }, '2026-11-10T09:30:00Z'],
    [{ unit: 'Hour', frequency: 999, time: '08:00:00' }, '2027-06-01T00:00:00Z'],
    // Hours of the nights when the clocks change.
    [{ unit: 'Hour', frequency: 1, time: '00:30:00' }, '2027-03-28T00:20:00Z'],
    [{ unit: 'Hour', frequency: 1, time: '00:30:00' }, '2027-10-30T23:40:00Z'],
    [
      { unit: 'Hour', frequency: 1, time: '00:00:00', endDate: '2026-11-16T12:00:00Z' },
      '2026-11-16T10:30:00Z',
    ],
    [
      { unit: 'Hour', frequency: 1, time: '00:00:00', endDate: '2026-12-16T12:00:00Z' },
      '2026-11-16T10:30:00Z',
    ],
    [{ unit: 'Week', weekDays: ['Monday'], frequency: 1, time: '02:30:00' }, '2026-11-16T09:30:00Z'],
    [{ unit: 'Week', weekDays: ['Tuesday', 'Sunday'], frequency: 2 }, '2026-11-16T09:30:00Z'],
    [{ unit: 'Week', weekDays: ['Tuesday', 'Sunday'], frequency: 2 }, '2027-03-20T09:30:00Z'],
    [
      { unit: 'Week', weekDays: ['Monday'], frequency: 3, startDate: '2026-11-18T00:00:00Z' },
      '2026-11-25T00:00:00Z',
    ],
    [
      { unit: 'Week', weekDays: ['Friday'], frequency: 5, startDate: '2027-02-01T00:00:00Z' },
      '2026-11-25T00:00:00Z',
    ],
    [
      { unit: 'Week', weekDays: ['Friday'], frequency: 1, endDate: '2026-11-27T23:00:00Z' },
      '2026-11-16T00:00:00Z',
    ],
    [{ unit: 'Week', weekDays: ['Sunday'], frequency: 1, time: '02:30:00' }, '2027-03-23T00:00:00Z'],
    [{ unit: 'Month', monthDay: '31', frequency: 1 }, '2027-01-31T07:00:01Z'],
    [{ unit: 'Month', monthDay: '10', frequency: 5, time: '10:00:00' }, '2026-11-10T09:30:00Z'],
    [{ unit: 'Month', monthDay: '10', frequency: 5, time: '11:00:00' }, '2026-11-10T09:30:00Z'],
    [{ unit: 'Month', monthDay: '1', frequency: 1, endDate: '2027-01-01T07:00:00Z' }, '2026-11-10T09:30:00Z'],
    [{ unit: 'Month', monthDay: 'First Monday', frequency: 1 }, '2026-11-10T09:30:00Z'],
    [{ unit: 'Month', monthDay: 'Second Sunday', frequency: 2 }, '2026-11-20T09:30:00Z'],
    [{ unit: 'Month', monthDay: 'Fourth Tuesday', frequency: 3 }, '2027-05-20T09:30:00Z'],
    [{ unit: 'Month', monthDay: 'Last Sunday', frequency: 1, time: '02:30:00' }, '2027-02-28T09:30:00Z'],
    [{ unit: 'Month', monthDay: 'Last Tuesday', frequency: 1 }, '2026-11-10T09:30:00Z'],
  ];
  it.each(repeated)(
    'of hours, weeks or months has its dates, as the service counts them: %j at %s',
    (part, at) => {
      const rule = {
        startDate: '2026-11-10T09:30:00Z',
        endDate: null,
        time: '08:00:00',
        frequency: 1,
        ...part,
      };
      const recurrence = readRecurrence({
        ...{ frequencyUnits: rule.unit!, frequency: rule.frequency, time: rule.time },
        ...{ startDate: rule.startDate, endDate: rule.endDate, weekDays: rule.weekDays?.join(';') ?? null },
        ...(/^\d/.test(rule.monthDay ?? '')
          ? { monthDay: Number(rule.monthDay) }
          : { monthDay2: rule.monthDay ?? null }),
      });
      const next: string[] = [];
      let run = nextRun(recurrence, new Date(Date.parse(at) - 1));
      for (; run && next.length < 3; run = nextRun(recurrence, run)) next.push(run.toISOString());
      expect(comingDates(rule, Date.parse(at))).toEqual({ next, more: run ? undefined : 0 });
    },
  );

  it('of weeks needs a weekday', () => {
    const typed = { from: '2098-12-01', until: '', time: '08:00', days: '1', unit: 'Week' } as const;
    expect(faultOf(typed)).toBe('noWeekDay');
    expect(faultOf({ ...typed, weekDays: [] })).toBe('noWeekDay');
    expect(faultOf({ ...typed, weekDays: ['Sunday'] })).toBeUndefined();
    expect(faultOf({ ...typed, weekDays: ['Sunday'], until: '2098-12-02' })).toBe('noneLeft');
    expect(ruleOf({ ...typed, weekDays: ['Sunday', 'Monday'] })).toMatchObject({
      weekDays: ['Monday', 'Sunday'],
    });
  });

  it('of months needs a day', () => {
    const typed = { from: '2098-12-01', until: '', time: '08:00', days: '1', unit: 'Month' } as const;
    for (const monthDay of ['', '0', '32', '1st', 'Fifth Monday', 'First Day', 'First Monday again'])
      expect([monthDay, faultOf({ ...typed, monthDay })]).toEqual([monthDay, 'noMonthDay']);
    expect(faultOf(typed)).toBe('noMonthDay');
    for (const monthDay of ['1', '31', 'last  friday'])
      expect([monthDay, faultOf({ ...typed, monthDay })]).toEqual([monthDay, undefined]);
    expect(typedOf(ruleOf({ ...typed, monthDay: 'Last Friday' }))).toEqual({
      ...typed,
      monthDay: 'Last Friday',
    });
  });

  it('stays as it is stored where nothing else is typed', () => {
    const stored = {
      startDate: '2026-11-16T09:30:00.000Z',
      endDate: '2026-12-24T12:00:00.000Z',
      time: '08:00:15',
      frequency: 3,
    };
    const typed = typedOf(stored);
    expect(ruleOf(typed, stored)).toEqual(stored);
    expect(ruleOf({ ...typed, until: '2026-12-25' }, stored)).toEqual({
      ...stored,
      endDate: '2026-12-25T22:59:59.000Z',
    });
  });
});

describe('a campaign with a schedule', () => {
  const scheduled = (state: string, type: string) => {
    const calendarDates = '2026-07-01T05:30:00.000Z;2026-07-08T05:30:00.000Z';
    return { schedulingInfos: { state, type, calendarDates } } as Campaign;
  };
  const now = Date.parse('2026-07-01T05:31:00Z');
  const [first, second] = ['2026-07-01T05:30:00.000Z', '2026-07-08T05:30:00.000Z'];

  it.each([
    ['Programmed', [first, second]],
    ['InProgress', [second]],
    ['Paused', [second]],
    ['Stopped', []],
  ])('that is %s has the dates %j to come', (state, dates) => {
    expect(waitingDatesOf(scheduled(state, 'Calendar'), now)).toEqual(dates);
  });

  it.each([
    ['Sending', 'InProgress', 'Calendar', true],
    ['Paused', 'Paused', 'Calendar', true],
    ['Finished', 'Programmed', 'Immediate', false],
    ['FinishedWithErrors', 'Programmed', 'Immediate', false],
    ['Stopped', 'InProgress', 'Immediate', false],
    ['Finished', 'Programmed', 'Calendar', false],
  ])('shows the progress of a job that is %s while it is %s (%s): %s', (jobStateName, state, type, shown) => {
    const job = { jobStateName, nbAddressToSend: 10 };
    expect(runningJobOf(scheduled(state, type), job)).toBe(shown ? job : undefined);
  });
});

describe('the figures of a report', () => {
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString();

  it.each([
    ['while a sending runs', [hours(100), null], 10_000],
    ['in the first hour after the end', [hours(0.5)], 10_000],
    ['on the days after', [hours(2)], 60_000],
    ['by the newest sending', [hours(100), hours(71)], 60_000],
    ['never again after three days', [hours(73), hours(100)], false],
  ])('are read again %s', (_when, ends, expected) => {
    expect(renewOf(ends.map((endDate) => ({ endDate })))).toBe(expected);
  });
});

describe('the start that a campaign missed', () => {
  it('is read from the reason of the service', () => {
    const reason = 'Missed: it was to start at 2026-03-02T06:00:00.000Z, more than an hour ago';
    expect(missedStartOf(reason)).toBe('2026-03-02T06:00:00.000Z');
    expect(missedStartOf('no segment to send to')).toBeUndefined();
  });
});
