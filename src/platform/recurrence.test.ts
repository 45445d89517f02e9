import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { parisTimeOf, plannedInstantOf } from './paris-time.ts';
import { type FrequencyUnit, frequencyUnits, latestRun, nextRun, type Recurrence } from './recurrence.ts';

const of = (
  unit: FrequencyUnit,
  time: string,
  start: string,
  more: Partial<Recurrence> = {},
): Recurrence => ({
  unit,
  every: 1,
  time: Temporal.PlainTime.from(time),
  byDay: [],
  monthDay: undefined,
  start: new Date(start),
  end: undefined,
  ...more,
});

/** The first runs after an instant, to the minute and in UTC. */
function runs(recurrence: Recurrence, after: string, count: number): string[] {
  const found: string[] = [];
  let run = nextRun(recurrence, new Date(after));
  for (; run && found.length < count; run = nextRun(recurrence, run))
    found.push(run.toISOString().slice(0, 16));
  return found;
}

describe('both nights of the clock change', () => {
  it('02:30 of every day is 03:00 in spring, when there is no 02:30', () => {
    expect(runs(of('Day', '02:30', '2026-01-01T00:00Z'), '2026-03-27T12:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  it('02:30 of every day is the first of two in autumn', () => {
    expect(runs(of('Day', '02:30', '2026-01-01T00:00Z'), '2026-10-23T12:00Z', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('every hour: skips an hour that does not exist, and runs once in an hour that occurs twice', () => {
    const hourly = of('Hour', '00:30', '2026-01-01T00:00Z');
    // 00:30, 01:30, 03:00 in place of 02:30, 03:30.
    expect(runs(hourly, '2026-03-28T23:00Z', 4)).toEqual([
      '2026-03-28T23:30',
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
    // 01:30, 02:30 the first time, 03:30.
    expect(runs(hourly, '2026-10-24T23:00Z', 3)).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-25T02:30',
    ]);
    // On the hour, 02:00 and 03:00 of the spring night are one instant, and one run.
    expect(runs(of('Hour', '00:00', '2026-01-01T00:00Z'), '2026-03-29T00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ]);
  });
});

describe('what a recurrence counts', () => {
  it.each<[string, Recurrence, string[]]>([
    [
      'every six hours from 01:00 of the first day',
      of('Hour', '01:00', '2026-11-20T10:00Z', { every: 6 }),
      ['2026-11-20T12:00', '2026-11-20T18:00', '2026-11-21T00:00'],
    ],
    [
      'every five hours, on over midnight',
      of('Hour', '22:00', '2026-11-20T10:00Z', { every: 5 }),
      ['2026-11-20T21:00', '2026-11-21T02:00', '2026-11-21T07:00'],
    ],
    [
      'every third day, the first one tomorrow because the time has passed today',
      of('Day', '02:30', '2026-11-20T10:00Z', { every: 3 }),
      ['2026-11-21T01:30', '2026-11-24T01:30', '2026-11-27T01:30'],
    ],
    [
      'Monday and Thursday of every other week, from the first of them on',
      of('Week', '02:30', '2026-11-20T10:00Z', { every: 2, byDay: ['MO', 'TH'] }),
      ['2026-11-23T01:30', '2026-11-26T01:30', '2026-12-07T01:30'],
    ],
    [
      'the 31st, and the last day of shorter months',
      of('Month', '02:30', '2027-01-31T10:00Z', { monthDay: 31 }),
      ['2027-02-28T01:30', '2027-03-31T00:30', '2027-04-30T00:30'],
    ],
    [
      'the 29th of February in a leap year',
      of('Month', '02:30', '2028-02-01T10:00Z', { monthDay: 30 }),
      ['2028-02-29T01:30', '2028-03-30T00:30'],
    ],
    [
      'the first Monday',
      of('Month', '02:30', '2026-11-20T10:00Z', { byDay: ['1MO'] }),
      ['2026-12-07T01:30', '2027-01-04T01:30'],
    ],
    [
      'the last Sunday of every second month, which is a night of a clock change',
      of('Month', '02:30', '2026-09-30T10:00Z', { byDay: ['-1SU'], every: 5 }),
      ['2026-10-25T00:30', '2027-03-28T01:00'],
    ],
    [
      'nothing after its end, and still at that very instant',
      of('Day', '02:30', '2026-11-20T10:00Z', { end: new Date('2026-11-22T01:30Z') }),
      ['2026-11-21T01:30', '2026-11-22T01:30'],
    ],
  ])('%s', (_what, recurrence, expected) => {
    const count = recurrence.end ? 9 : expected.length;
    expect(runs(recurrence, '2026-01-01T00:00Z', count)).toEqual(expected);
  });
});

describe('the last of the runs that were passed over', () => {
  it.each([
    [
      'the planned one as long as the next is not due',
      '2026-11-21T01:30Z',
      '2026-11-21T23:00Z',
      '2026-11-21T01:30',
    ],
    ['the last of three days', '2026-11-21T01:30Z', '2026-11-24T01:29Z', '2026-11-23T01:30'],
    ['the one that is due just now', '2026-11-21T01:30Z', '2026-11-24T01:30Z', '2026-11-24T01:30'],
  ])('is %s', (_what, planned, now, expected) => {
    const daily = of('Day', '02:30', '2026-11-20T10:00Z');
    expect(latestRun(daily, new Date(planned), new Date(now)).toISOString().slice(0, 16)).toBe(expected);
  });
});

it('no run is passed over after the end', () => {
  const ended = of('Day', '02:30', '2026-11-20T10:00Z', { end: new Date('2026-11-23T00:00Z') });
  const last = latestRun(ended, new Date('2026-11-21T01:30Z'), new Date('2027-11-20T10:00Z'));
  expect(last.toISOString()).toBe('2026-11-22T01:30:00.000Z');
});

// A second opinion, day by day and without the library: all fitting wall times of the time span, of which those count
// whose period is a multiple of `every` away from the first one's.
function model(recurrence: Recurrence, until: Date): Date[] {
  const { unit, time, start, every } = recurrence;
  const found: { at: Date; period: number }[] = [];
  const first = parisTimeOf(start).toPlainDate();
  if (unit === 'Hour') {
    for (let wall = first.toPlainDateTime(time), i = 0; plannedInstantOf(wall) <= until; i++) {
      found.push({ at: plannedInstantOf(wall), period: i });
      wall = wall.add({ hours: 1 });
    }
  } else {
    for (let day = first; plannedInstantOf(day.toPlainDateTime(time)) <= until; day = day.add({ days: 1 })) {
      if (!fits(recurrence, day)) continue;
      const at = plannedInstantOf(day.toPlainDateTime(time));
      if (at >= start) found.push({ at, period: periodOf(unit, day) });
    }
  }
  const counted = found.filter(({ period }) => (period - found[0]!.period) % every === 0);
  const due = counted.filter(({ at }) => at >= start && (!recurrence.end || at <= recurrence.end));
  return [...new Set(due.map(({ at }) => at.getTime()))].map((ms) => new Date(ms));
}

const names = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function fits({ unit, byDay, monthDay }: Recurrence, day: Temporal.PlainDate): boolean {
  const name = names[day.dayOfWeek - 1]!;
  if (unit === 'Week') return byDay.includes(name);
  if (unit === 'Day') return true;
  if (monthDay !== undefined) return day.day === Math.min(monthDay, day.daysInMonth);
  const [place, weekday] = [Number.parseInt(byDay[0]!, 10), byDay[0]!.slice(-2)];
  if (weekday !== name) return false;
  return place === -1 ? day.day + 7 > day.daysInMonth : Math.ceil(day.day / 7) === place;
}

function periodOf(unit: FrequencyUnit, day: Temporal.PlainDate): number {
  const days = Math.round(Date.parse(day.toString()) / 86_400_000);
  if (unit === 'Day') return days;
  // 1 January 1970 was a Thursday.
  return unit === 'Week' ? Math.floor((days + 3) / 7) : day.year * 12 + day.month;
}

const anyRecurrence = fc
  .record({
    unit: fc.constantFrom(...frequencyUnits),
    every: fc.integer({ min: 1, max: 5 }),
    hour: fc.constantFrom(0, 1, 2, 3, 23),
    minute: fc.constantFrom(0, 30, 59),
    days: fc.subarray(names, { minLength: 1 }),
    monthDay: fc.option(fc.integer({ min: 1, max: 31 }), { nil: undefined }),
    place: fc.constantFrom('1', '2', '3', '4', '-1'),
    // Around both clock changes of 2026 and a leap day.
    start: fc.constantFrom('2026-03-27', '2026-10-23', '2027-01-30', '2028-02-27'),
    shift: fc.integer({ min: 0, max: 3 * 86_400 }),
    lasts: fc.option(fc.integer({ min: 0, max: 40 * 86_400 }), { nil: undefined }),
  })
  .map(({ unit, every, hour, minute, days, monthDay, place, start, shift, lasts }) => ({
    unit,
    every,
    time: new Temporal.PlainTime(hour, minute),
    byDay: unit === 'Week' ? days : unit === 'Month' && monthDay === undefined ? [place + days[0]] : [],
    monthDay: unit === 'Month' ? monthDay : undefined,
    start: new Date(Date.parse(start) + shift * 1_000),
    end: lasts === undefined ? undefined : new Date(Date.parse(start) + (shift + lasts) * 1_000),
  }));

describe('against a second opinion', () => {
  it('runs at the same instants, and of runs passed over finds the same last one', () => {
    fc.assert(
      fc.property(anyRecurrence, fc.integer({ min: 0, max: 4 }), (recurrence, skipped) => {
        const days = recurrence.unit === 'Hour' ? 4 : recurrence.unit === 'Month' ? 500 : 60;
        const until = new Date(recurrence.start.getTime() + days * 86_400_000);
        const expected = model(recurrence, until);
        const found: Date[] = [];
        let run = nextRun(recurrence, new Date(0));
        for (; run && run <= until; run = nextRun(recurrence, run)) found.push(run);
        expect(found).toEqual(expected);
        const planned = expected[skipped];
        if (planned) expect(latestRun(recurrence, planned, until)).toEqual(expected.at(-1));
      }),
      { numRuns: 100 },
    );
  });
});
