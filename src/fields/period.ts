import { Temporal } from 'temporal-polyfill';
import { instantOfParisTime, parisTimeOf, startOfParisDay } from '../platform/paris-time.ts';

/** A stretch of time: `start` belongs to it, `end` does not. */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

const written = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::([0-5]\d)(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a date of a filter: `2026-03-29` is the whole Paris day (that one has 23 hours), `2026-03-29T10:30` the minute,
 * `…:15` the second, `….250` the millisecond. A time is Paris wall time unless it has an offset.
 * @returns undefined for anything else, for days and times that do not exist in a calendar, and outside the years 1 to
 * 9999 of UTC
 */
export function readPeriod(text: string): Period | undefined {
  const [, day, minute, seconds, fraction, offset] = written.exec(text) ?? [];
  if (day === undefined) return undefined;
  try {
    if (minute === undefined) return withinBounds(wholeDay(Temporal.PlainDate.from(day)));
    const time = `${day}T${minute}:${seconds ?? '00'}${fraction ?? ''}`;
    const start = offset
      ? new Date(Temporal.Instant.from(time + offset).epochMilliseconds)
      : instantOfParisTime(Temporal.PlainDateTime.from(time));
    const lengthMs = fraction ? 1 : seconds ? 1_000 : 60_000;
    return withinBounds({ start, end: new Date(start.getTime() + lengthMs) });
  } catch {
    // Temporal throws a RangeError for 30 February or 25 o'clock.
    return undefined;
  }
}

// The years that ISO 8601 writes with four digits, which dates of fields keep to as well.
const first = Date.parse('0001-01-01T00:00:00Z');
const last = Date.parse('9999-12-31T23:59:59.999Z');

function withinBounds(period: Period): Period | undefined {
  return period.start.getTime() >= first && period.end.getTime() <= last ? period : undefined;
}

/** The period of a Paris day. */
export function wholeDay(day: Temporal.PlainDate): Period {
  return { start: startOfParisDay(day), end: startOfParisDay(day.add({ days: 1 })) };
}

export const languages = ['fr', 'en'] as const;
export type Language = (typeof languages)[number];

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A day as readers write it: `29/03/2026`, `29 Mar 2026`. */
export function dayInWords({ day, month, year }: DayParts, language: Language): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const fourYears = String(year).padStart(4, '0');
  return language === 'fr'
    ? `${two(day)}/${two(month)}/${fourYears}`
    : `${day} ${months[month - 1]} ${fourYears}`;
}
type DayParts = Pick<Temporal.PlainDate, 'day' | 'month' | 'year'>;

/** A written date as readers write it: `29/03/2026`, `29 Mar 2026 10:30`; Paris wall time. */
export function periodInWords(text: string, language: Language): string {
  const period = readPeriod(text);
  if (!period) return text;
  const { start, end } = period;
  const at = parisTimeOf(start);
  const [, time = ''] = at.toString({ smallestUnit: 'millisecond' }).split('T');
  const day = dayInWords(at, language);
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs > 60_000) return day;
  return `${day} ${time.slice(0, lengthMs === 60_000 ? 5 : lengthMs === 1_000 ? 8 : 12)}`;
}
