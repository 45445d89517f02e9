import { dayOf, daysLater, monthsLater } from '../campaigns/calendar-days.ts';
import { parisInstant } from '../targets/paris-time.ts';

const dayMs = 86_400_000;

/** Weekdays as the service names them. */
export const weekDays = [
  ...(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const),
];
export type WeekDay = (typeof weekDays)[number];
export const units = ['Hour', 'Day', 'Week', 'Month'] as const;
export type Unit = (typeof units)[number];

/** Places of a weekday in a month as the service names them. */
export const places = ['First', 'Second', 'Third', 'Fourth', 'Last'] as const;
export type Place = (typeof places)[number];

interface Repeated {
  /** Default: Day. */
  readonly unit?: Unit;
  /** Of weeks: at least one. */
  readonly weekDays?: readonly WeekDay[];
  /** Of months: a day, `1` to `31`, or a weekday with its place, `First Monday`. */
  readonly monthDay?: string;
}

/** A weekday of a month with its place. */
export interface PlacedDay {
  readonly place: Place;
  readonly weekDay: WeekDay;
}

/** The weekday that a day of months names, in any case; undefined for another one. */
export function placedDayOf(monthDay: string): PlacedDay | undefined {
  const words = monthDay.trim().toLowerCase().split(/\s+/);
  const place = places.find((one) => one.toLowerCase() === words[0]);
  const weekDay = weekDays.find((one) => one.toLowerCase() === words[1]);
  return place && weekDay && words.length === 2 ? { place, weekDay } : undefined;
}

/** A schedule that repeats every few days, hours, weeks or months, as the service has it. */
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
  | 'noMonthDay'
  | 'noTime'
  | 'noUntil'
  | 'endsBefore'
  | 'noneLeft'
  | undefined;

/** Whether a day is typed to the end: the years 0002, 0020 and 0202 come before 2026. */
const isWholeDay = (day: string): boolean => /^[12]\d{3}-\d\d-\d\d$/.test(day) && day >= '2000';

const isMonthDay = (text: string): boolean => /^([1-9]|[12]\d|3[01])$/.test(text) || !!placedDayOf(text);

/** Returns the first fault of a typed rule. */
export function faultOf(typed: TypedRule, stored?: DailyRule): RuleFault {
  if (!isWholeDay(typed.from)) return 'noFrom';
  if (!/^[1-9]\d{0,2}$/.test(typed.days)) return 'noInterval';
  if (typed.unit === 'Week' && !typed.weekDays?.length) return 'noWeekDay';
  if (typed.unit === 'Month' && !isMonthDay(typed.monthDay ?? '')) return 'noMonthDay';
  if (!/^\d\d:\d\d/.test(typed.time)) return 'noTime';
  if (typed.until !== '' && !isWholeDay(typed.until)) return 'noUntil';
  if (typed.until !== '' && typed.until < typed.from) return 'endsBefore';
  return comingDates(ruleOf(typed, stored), Date.now()).next.length === 0 ? 'noneLeft' : undefined;
}

/** The rule that is typed. What is the same as in the stored one stays as it is, to the second. */
export function ruleOf(typed: TypedRule, stored?: DailyRule): DailyRule {
  const known = stored && typedOf(stored);
  const { unit, weekDays: days, monthDay } = typed;
  return {
    ...(unit && { unit }),
    ...(days && { weekDays: weekDays.filter((day) => days.includes(day)) }),
    ...(monthDay && { monthDay }),
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
  if (rule.unit === 'Month') return firstOf(monthDaysOf(rule, now), rule);
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

/** The day of a month, `yyyy-MM`, that a rule names; in a shorter month its last day. */
function dayIn(month: string, monthDay: string): string {
  const first = `${month}-01`;
  const last = daysLater(`${monthsLater(month, 1)}-01`, -1);
  const placed = placedDayOf(monthDay);
  if (!placed)
    return `${month}-${String(Math.min(Number(monthDay), Number(last.slice(8)))).padStart(2, '0')}`;
  const index = weekDays.indexOf(placed.weekDay);
  if (placed.place === 'Last') {
    const ofWeek = daysLater(mondayOf(last), index);
    return ofWeek > last ? daysLater(ofWeek, -7) : ofWeek;
  }
  const ofWeek = daysLater(mondayOf(first), index);
  return daysLater(ofWeek, 7 * (places.indexOf(placed.place) + (ofWeek < first ? 1 : 0)));
}

const monthOf = (at: number) => dayOf(at).slice(0, 7);
const monthNumber = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));

/** The dates of a rule of months from a moment on. Months are counted from that of the first date. */
function* monthDaysOf(rule: DailyRule, now: number): Generator<number> {
  const { startDate, time, frequency, monthDay = '1' } = rule;
  const start = Date.parse(startDate);
  const from = Math.max(start, now);
  const dateIn = (month: string) => Date.parse(parisInstant(`${dayIn(month, monthDay)}T${time}`)!);
  const ofStart = monthOf(start);
  const first = dateIn(ofStart) >= start ? ofStart : monthsLater(ofStart, 1);
  const passed = Math.floor((monthNumber(monthOf(from)) - monthNumber(first)) / frequency);
  for (let period = Math.max(0, passed); ; period += 1) {
    const at = dateIn(monthsLater(first, period * frequency));
    if (at >= from) yield at;
  }
}
