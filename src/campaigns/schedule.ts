import { PlannedTime, readComingTime, readTime, readTimeOfDay } from '../platform/http/planned-time.ts';
import { invalid } from '../platform/http/refusal.ts';
import { Closed, Line, Maybe, type Static, Type } from '../platform/http/schema.ts';
import { nextRun, type Recurrence } from '../platform/recurrence.ts';
import type { ScheduleType } from './schedule-state.ts';

/** Maximum number of dates of a calendar: one a day for a year. */
export const maxDates = 366;

export const CalendarDates = Type.Array(PlannedTime(), {
  maxItems: maxDates,
  description: 'The dates at which the campaign is sent; an empty list removes the schedule',
});

export const DailyScheduleInput = Closed('DailySchedule', {
  startDate: PlannedTime(': no sending is before it, and the days of `frequency` are counted from the first'),
  endDate: Maybe(PlannedTime(': no sending is after it; by default the schedule has no end')),
  sendingTime: Line(
    8,
    'HH:mm:ss in Paris. A time that the spring change skips runs at the first instant after the gap; one that ' +
      'occurs twice in autumn runs the first time',
  ),
  frequency: Maybe(Type.Integer({ minimum: 1, maximum: 999, description: 'Every n days; defaults to 1' })),
});
export type DailyScheduleInput = Static<typeof DailyScheduleInput>;

export interface DailySchedule {
  /** Instants in ISO 8601. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** `HH:mm:ss` in Paris. */
  readonly sendingTime: string;
  /** Interval in days. */
  readonly frequency: number;
}

export interface Schedule {
  readonly type: ScheduleType;
  /** The current and future dates in order; for a daily schedule, the next or the current one. */
  readonly dates: readonly Date[];
  /** The rule of a Daily schedule; null for the other types. */
  readonly daily: DailySchedule | null;
}

/** The schedule after one of its dates; null if no date is left. */
export function scheduleAfter(schedule: Schedule, date: Date): Schedule | null {
  const dates = schedule.daily
    ? [nextRun(recurrenceOf(schedule.daily), date)].filter((next) => next !== undefined)
    : schedule.dates.filter((one) => one > date);
  return dates.length > 0 ? { ...schedule, dates } : null;
}

/** A calendar of the dates; null without any. @throws 400 that names the date and the rule */
export function readCalendar(texts: readonly string[], now: Date): Schedule | null {
  const dates = texts.map((text, index) => readComingTime(text, `[${index}]`, now));
  for (const [index, date] of dates.entries()) {
    const first = dates.findIndex((other) => other.getTime() === date.getTime());
    if (first < index) throw invalid(`[${index}]: is the same instant as [${first}] (${date.toISOString()})`);
  }
  dates.sort((a, b) => a.getTime() - b.getTime());
  return dates.length > 0 ? { type: 'Calendar', dates, daily: null } : null;
}

/** @throws 400 that names the property and the rule */
export function readDaily(input: DailyScheduleInput, now: Date): Schedule {
  const start = readTime(input.startDate, 'startDate');
  const end = input.endDate ? readTime(input.endDate, 'endDate') : null;
  readTimeOfDay(input.sendingTime, 'sendingTime');
  if (end && end < start) throw invalid('endDate: must not be before startDate');
  const daily = {
    startDate: start.toISOString(),
    endDate: end?.toISOString() ?? null,
    sendingTime: input.sendingTime,
    frequency: input.frequency ?? 1,
  };
  // A sending at this very instant still counts.
  const schedule = scheduleAfter({ type: 'Daily', dates: [], daily }, new Date(now.getTime() - 1));
  if (!schedule) throw invalid('endDate: no date is left before it; choose a later one');
  return schedule;
}

function recurrenceOf({ startDate, endDate, sendingTime, frequency }: DailySchedule): Recurrence {
  return {
    unit: 'Day',
    every: frequency,
    time: readTimeOfDay(sendingTime, 'sendingTime'),
    byDay: [],
    monthDay: undefined,
    start: new Date(startDate),
    end: endDate === null ? undefined : new Date(endDate),
  };
}
