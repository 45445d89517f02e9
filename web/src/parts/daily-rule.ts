import { dayOf, daysLater } from '../campaigns/calendar-days.ts';
import { parisInstant } from '../targets/paris-time.ts';

const dayMs = 86_400_000;

/** A daily schedule as the service has it. */
export interface DailyRule {
  /** An instant; the days are counted from the first date after it. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** `HH:mm:ss` in Paris. */
  readonly time: string;
  /** Interval in days. */
  readonly frequency: number;
}

/** A daily schedule as it is typed: days of Paris, `YYYY-MM-DD`. */
export interface TypedRule {
  readonly from: string;
  /** Empty: no end. */
  readonly until: string;
  /** `HH:mm`, or `HH:mm:ss` if it has seconds. */
  readonly time: string;
  readonly days: string;
}

/** A time of day without seconds that are zero. */
export const shortTime = (time: string): string => time.replace(/^(\d\d:\d\d):00$/, '$1');

/** The rule as it is typed. */
export const typedOf = ({ startDate, endDate, time, frequency }: DailyRule): TypedRule => ({
  from: dayOf(startDate),
  until: endDate === null ? '' : dayOf(endDate),
  time: shortTime(time),
  days: String(frequency),
});

/** The property of a typed rule that has to be corrected first; undefined if there is none. */
export type RuleFault =
  | 'noFrom'
  | 'noInterval'
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
  if (!/^\d\d:\d\d/.test(typed.time)) return 'noTime';
  if (typed.until !== '' && !isWholeDay(typed.until)) return 'noUntil';
  if (typed.until !== '' && typed.until < typed.from) return 'endsBefore';
  return comingDates(ruleOf(typed, stored), Date.now()).next.length === 0 ? 'noneLeft' : undefined;
}

/** The rule that is typed. What is the same as in the stored one stays as it is, to the second. */
export function ruleOf(typed: TypedRule, stored?: DailyRule): DailyRule {
  const known = stored && typedOf(stored);
  return {
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
  /** How many others follow; undefined if the rule has no end. */
  readonly more: number | undefined;
}

const shownDates = 3;

/** The dates of a rule from a moment on, as the service counts them. */
export function comingDates({ startDate, endDate, time, frequency }: DailyRule, now: number): ComingDates {
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
