import { Temporal } from 'temporal-polyfill';
import { instantOfParisTime, parisZone } from '../platform/paris-time.ts';

/** A text as an instant, or undefined when it is not a date of the format. Wall times are Paris time. */
export type DateReader = (text: string) => Date | undefined;

const tokens: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<shortYear>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{2})',
  d: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
};

/**
 * The reader of a format such as `dd/MM/yyyy HH:mm`; other characters stand for themselves, of letters only the T of
 * ISO 8601 and the h of `HHhmm`: any other is a part that we do not know (`hh`, `tt`), and every row would be refused.
 * Without a format, ISO 8601 is read: a day, a day and a time of day, or an instant with its offset.
 * @returns undefined for an unknown part, or when the format does not name day, month and year, or names one twice.
 */
export function dateReader(format: string): DateReader | undefined {
  if (format === '') return readIso;
  if (/[a-z]/i.test(format.replaceAll(/HHh|Hh|yyyy|yy|MM|M|dd|d|HH|H|mm|ss|T/g, ''))) return undefined;
  const pattern = format.replaceAll(/yyyy|yy|MM|M|dd|d|HH|H|mm|ss|[^a-zA-Z0-9\s]|./g, (token) => {
    return tokens[token] ?? token.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  let expression: RegExp;
  try {
    expression = new RegExp(`^${pattern}$`);
  } catch {
    // A group of one name twice.
    return undefined;
  }
  const named = (name: string) => pattern.includes(`<${name}>`);
  if (!named('day') || !named('month') || named('year') === named('shortYear')) return undefined;
  return (text) => read(expression, text);
}

const isoDay = '(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)';
const isoTime = '(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:\\.\\d{1,9})?)?';
const isoLocal = new RegExp(`^${isoDay}(?:[T ]${isoTime})?$`);
const isoInstant = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** Reads a date in ISO 8601. */
export function readIso(text: string): Date | undefined {
  if (!isoInstant.test(text)) return read(isoLocal, text);
  try {
    return bounded(Temporal.Instant.from(text.replace(' ', 'T')).epochMilliseconds);
  } catch {
    return undefined;
  }
}

function read(expression: RegExp, text: string): Date | undefined {
  const parts = expression.exec(text)?.groups;
  if (!parts) return undefined;
  const number = (name: string) => Number(parts[name] ?? 0);
  const year = parts.shortYear === undefined ? number('year') : fullYear(number('shortYear'));
  const [month, day, hour, minute, second] = [
    number('month'),
    number('day'),
    number('hour'),
    number('minute'),
    number('second'),
  ];
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const utc = utcOf(year, month - 1, day, hour, minute, second);
  // 31 February would roll over into March.
  if (new Date(utc).getUTCDate() !== day) return undefined;
  const offset = offsetOf(year, month, day);
  if (offset !== undefined) return bounded(utc - offset);
  return instantOfParisTime(new Temporal.PlainDateTime(year, month, day, hour, minute, second));
}

/** Two digits: 1970 to 2069. */
const fullYear = (short: number) => (short < 70 ? 2000 + short : 1900 + short);

/** Date.UTC takes the years 0 to 99 for 1900 to 1999. */
function utcOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  if (year >= 100) return Date.UTC(year, month, day, hour, minute, second);
  return new Date(Date.UTC(2000, month, day, hour, minute, second)).setUTCFullYear(year);
}

function bounded(at: number): Date | undefined {
  return at >= firstInstant && at < lastInstant ? new Date(at) : undefined;
}
const firstInstant = Date.parse('0001-01-01T00:00:00Z');
const lastInstant = Date.parse('+010000-01-01T00:00:00Z');

/**
 * Paris' distance from UTC (ms) through a month or, in a month when it changes, through a day; undefined on the day
 * itself. Kept: resolving each value by Temporal was measured at 68,000 a second, a million dates would take 15 s.
 */
function offsetOf(year: number, month: number, day: number): number | undefined {
  const monthKey = year * 12 + month;
  let known = offsets.get(monthKey);
  if (known === undefined) {
    known = steadyOffset(new Temporal.PlainDate(year, month, 1), { months: 1 });
    offsets.set(monthKey, known);
  }
  if (known !== null) return known;
  return steadyOffset(new Temporal.PlainDate(year, month, day), { days: 1 }) ?? undefined;
}

/** The offset that holds from a day on for a length of time; null when it changes. */
function steadyOffset(start: Temporal.PlainDate, length: Temporal.DurationLike): number | null {
  const [from, to] = [start, start.add(length)].map((day) => {
    return day.toZonedDateTime({ timeZone: parisZone }).offsetNanoseconds / 1e6;
  });
  return from === to ? from! : null;
}

/** Keyed by month; at most 120,000 of them. */
const offsets = new Map<number, number | null>();
