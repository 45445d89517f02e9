import { dayOf, daysLater } from '../campaigns/calendar-days.ts';
import { parisInstant } from '../targets/paris-time.ts';

const dayMs = 86_400_000;

/** Weekdays as the service names them. */
export const weekDays = [
  ...(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const),
];
export type WeekDay = (typeof weekDays)[number];
export const units = ['Hour', 'Day', 'Week'] as const;
export type Unit = (typeof units)[number];

interface Repeated {
  /** Default: Day. */
  readonly unit?: Unit;
  /** Of weeks: at least one. */
  readonly weekDays?: readonly WeekDay[];
}

/** A schedule that repeats every few days, hours or weeks, as the service has it. */
export interface DailyRule extends Repeated {
  /** An instant; the days are counted from the first date after it. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** `HH:mm:ss` in Paris; hours are counted from it. */
  readonly time: string;
  /** Interval in units. */
  readonly frequency: number;
}

/** A schedule that repeats as it is typed: days of Paris, `YYYY-MM-DD`. */
export interface TypedRule extends Repeated {
  readonly from: string;
  /** Empty: no end. */
  readonly until: string;
  /** `HH:mm`, or `HH:mm:ss` if it has seconds. */
  readonly time: string;
  /** Interval in units. */
  readonly days: string;
}

/** A time of day without seconds that are zero. */
export const shortTime = (time: string): string => time.replace(/^(\d\d:\d\d):00$/, '$1');

/** The rule as it is typed. */
export const typedOf = ({ startDate, endDate, time, frequency, ...repeated }: DailyRule): TypedRule => ({
  ...repeated,
  from: dayOf(startDate),
  until: endDate === null ? '' : dayOf(endDate),
  time: shortTime(time),
  days: String(frequency),
});

/** The property of a typed rule that has to be corrected first; undefined if there is none. */
export type RuleFault =
  | 'noFrom'
  | 'noInterval'
  | 'noWeekDay'
  | 'noTime'
  | 'noUntil'
  | 'endsBefore'
  | 'noneLeft'
  | undefined;

/** Whether a day is typed to the end: the years 0002, 0020 and 0202 come before 2026. */
const isWholeDay = (day: string): boolean => /^[12]\d{3}-\d\d-\d\d$/.test(day) && day >= '2000';

/** Returns the first fault of a typed rule. */
export function faultOf(typed: TypedRule, stored?: DailyRule): RuleFault {
  if (!isWholeDay(typed.from)) return 'noFrom';
  if (!/^[1-9]\d{0,2}$/.test(typed.days)) return 'noInterval';
  if (typed.unit === 'Week' && !typed.weekDays?.length) return 'noWeekDay';
  if (!/^\d\d:\d\d/.test(typed.time)) return 'noTime';
  if (typed.until !== '' && !isWholeDay(typed.until)) return 'noUntil';
  if (typed.until !== '' && typed.until < typed.from) return 'endsBefore';
  return comingDates(ruleOf(typed, stored), Date.now()).next.length === 0 ? 'noneLeft' : undefined;
}

/** The rule that is typed. What is the same as in the stored one stays as it is, to the second. */
export function ruleOf(typed: TypedRule, stored?: DailyRule): DailyRule {
  const known = stored && typedOf(stored);
  const { unit, weekDays: days } = typed;
  return {
    ...(unit && { unit }),
    ...(days && { weekDays: weekDays.filter((day) => days.includes(day)) }),
    startDate: known?.from === typed.from ? stored!.startDate : parisInstant(`${typed.from}T00:00`)!,
    endDate:
      typed.until === ''
        ? null
        : known?.until === typed.until
          ? stored!.endDate
          : parisInstant(`${typed.until}T23:59:59`),
    time: typed.time.length === 5 ? `${typed.time}:00` : typed.time,
    frequency: Number(typed.days),
  };
}

/** The coming dates of a rule. */
export interface ComingDates {
  /** The instants of the first ones. */
  readonly next: readonly string[];
  /** How many others follow; undefined if the rule has no end, or they are not counted. */
  readonly more: number | undefined;
}

const shownDates = 3;

/** The dates of a rule from a moment on, as the service counts them. */
export function comingDates(rule: DailyRule, now: number): ComingDates {
  if (rule.unit === 'Hour') return firstOf(hoursOf(rule, now), rule);
  if (rule.unit === 'Week') return firstOf(weekDaysOf(rule, now), rule);
  const { startDate, endDate, time, frequency } = rule;
  const instantOn = (day: string) => Date.parse(parisInstant(`${day}T${time}`)!);
  const firstFrom = (at: number) => {
    const day = dayOf(at);
    return instantOn(day) < at ? daysLater(day, 1) : day;
  };
  const start = firstFrom(Date.parse(startDate));
  const first = daysLater(
    start,
    Math.max(0, Math.ceil(daysFrom(start, firstFrom(now)) / frequency)) * frequency,
  );
  const end = endDate === null ? Number.POSITIVE_INFINITY : Date.parse(endDate);
  const next = Array.from({ length: shownDates }, (_, index) =>
    instantOn(daysLater(first, index * frequency)),
  )
    .filter((at) => at <= end)
    .map((at) => new Date(at).toISOString());
  if (endDate === null) return { next, more: undefined };
  const all = Math.ceil(daysFrom(first, firstFrom(end + 1)) / frequency);
  return { next, more: Math.max(0, all - next.length) };
}

const daysFrom = (day: string, to: string) => (Date.parse(to) - Date.parse(day)) / dayMs;

/** The first dates of all that come. Others are not counted. */
function firstOf(dates: Iterable<number>, { endDate }: DailyRule): ComingDates {
  const end = endDate === null ? Number.POSITIVE_INFINITY : Date.parse(endDate);
  const next: string[] = [];
  for (const at of dates) {
    if (at > end) return { next, more: 0 };
    if (next.length === shownDates) break;
    next.push(new Date(at).toISOString());
  }
  return { next, more: undefined };
}

const hourMs = 3_600_000;

/** The dates of a rule of hours from a moment on. An hour that the clocks skip falls together with the next one. */
function* hoursOf({ startDate, time, frequency }: DailyRule, now: number): Generator<number> {
  const from = Math.max(Date.parse(startDate), now);
  // Hours of clocks, counted where no clock changes.
  const first = Date.parse(`${dayOf(startDate)}T${time}Z`);
  const instantAt = (wall: number) => Date.parse(parisInstant(new Date(wall).toISOString().slice(0, 19))!);
  // Clocks of Paris are at most two hours ahead.
  let wall = first + Math.max(0, Math.floor((from - first) / hourMs / frequency) - 2) * frequency * hourMs;
  let last = from - 1;
  for (; ; wall += frequency * hourMs) {
    const at = instantAt(wall);
    if (at <= last) continue;
    yield at;
    last = at;
  }
}

const mondayOf = (day: string) => daysLater(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));

/** The dates of a rule of weeks from a moment on. Weeks are counted from that of the first date. */
function* weekDaysOf(rule: DailyRule, now: number): Generator<number> {
  const { startDate, time, frequency, weekDays: chosen = [] } = rule;
  const start = Date.parse(startDate);
  const from = Math.max(start, now);
  const datesOf = (monday: string) =>
    weekDays.flatMap((day, index) =>
      chosen.includes(day) ? [Date.parse(parisInstant(`${daysLater(monday, index)}T${time}`)!)] : [],
    );
  const ofStart = mondayOf(dayOf(start));
  const first = datesOf(ofStart).some((at) => at >= start) ? ofStart : daysLater(ofStart, 7);
  const passed = Math.floor(daysFrom(first, mondayOf(dayOf(from))) / 7 / frequency);
  for (let period = Math.max(0, passed); ; period += 1)
    for (const at of datesOf(daysLater(first, period * frequency * 7))) if (at >= from) yield at;
}
