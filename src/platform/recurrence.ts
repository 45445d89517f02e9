import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { parisTimeOf, plannedInstantOf } from './paris-time.ts';

/** Units of a recurrence. */
export const frequencyUnits = ['Hour', 'Day', 'Week', 'Month'] as const;
export type FrequencyUnit = (typeof frequencyUnits)[number];

/** A recurrence by Paris clocks, from the first fitting time after `start`; `every` counts its units. */
export interface Recurrence {
  readonly unit: FrequencyUnit;
  /** Every n units. */
  readonly every: number;
  /** For Hour: the time from which the hours are counted on the day of `start`. */
  readonly time: Temporal.PlainTime;
  /** For Week: `MO`, `TH`. For Month: one weekday with its place, `1MO`, `-1SU`. */
  readonly byDay: readonly string[];
  /** For Month: 1 to 31; in a shorter month its last day. */
  readonly monthDay: number | undefined;
  readonly start: Date;
  /** A run at this very instant still takes place. */
  readonly end: Date | undefined;
}

const frequencies = { Hour: 'HOURLY', Day: 'DAILY', Week: 'WEEKLY', Month: 'MONTHLY' } as const;
const durations = { Hour: 'hours', Day: 'days', Week: 'weeks', Month: 'months' } as const;

/** The first run after an instant; undefined when there is none before the end. */
export function nextRun(of: Recurrence, after: Date): Date | undefined {
  const rule = ruleOf(of, firstPeriod(of), of.every);
  const run = firstOf(rule, new Date(Math.max(after.getTime() + 1, of.start.getTime())));
  return of.end && run > of.end ? undefined : run;
}

/** Returns the latest of a planned run and its successors up to now. */
export function latestRun(of: Recurrence, planned: Date, now: Date): Date {
  const until = of.end && of.end < now ? of.end : now;
  // Two periods back there is always a run, however long the service was unavailable.
  const back = parisTimeOf(until)
    .subtract({ [durations[of.unit]]: 2 * of.every })
    .subtract({ days: 1 });
  const recent = plannedInstantOf(back);
  let run = planned;
  let next = nextRun(of, new Date(Math.max(planned.getTime(), recent.getTime())));
  while (next && next <= until) {
    run = next;
    next = nextRun(of, run);
  }
  return run;
}

/** Where the counting of periods begins: at the period of the first run. */
function firstPeriod(of: Recurrence): Temporal.PlainDateTime {
  const day = parisTimeOf(of.start).toPlainDate();
  const here = beginningOf(of.unit, day).toPlainDateTime(of.time);
  if (of.unit === 'Hour') return here;
  const first = firstOf(ruleOf(of, here, 1), of.start);
  return beginningOf(of.unit, parisTimeOf(first).toPlainDate()).toPlainDateTime(of.time);
}

function beginningOf(unit: FrequencyUnit, day: Temporal.PlainDate): Temporal.PlainDate {
  if (unit === 'Week') return day.subtract({ days: day.dayOfWeek - 1 });
  return unit === 'Month' ? day.with({ day: 1 }) : day;
}

/** Wall times written as times of UTC, where the calendar has neither gaps nor repetitions. */
function ruleOf(of: Recurrence, from: Temporal.PlainDateTime, every: number) {
  return new RRuleTemporal({
    freq: frequencies[of.unit],
    interval: every,
    dtstart: from.toZonedDateTime('UTC'),
    tzid: 'UTC',
    wkst: 'MO',
    temporal: Temporal,
    ...(of.byDay.length > 0 && { byDay: [...of.byDay] }),
    ...(of.monthDay !== undefined && lastOfDays(of.monthDay)),
  });
}

/** The 31st, and where there is none the last day before it. */
function lastOfDays(monthDay: number) {
  const first = Math.min(monthDay, 28);
  return { byMonthDay: Array.from({ length: monthDay - first + 1 }, (_, i) => first + i), bySetPos: [-1] };
}

/** The first run of a rule at or after an instant. */
function firstOf(rule: ReturnType<typeof ruleOf>, at: Date): Date {
  // Starts a day earlier: around a clock change a wall time differs from its instant.
  let wall = rule.next(parisTimeOf(at).subtract({ days: 1 }).toZonedDateTime('UTC'), true);
  while (wall) {
    const run = plannedInstantOf(wall.toPlainDateTime());
    if (run >= at) return run;
    wall = rule.next(wall);
  }
  throw new Error('A recurrence without a next time');
}
