import { Temporal } from 'temporal-polyfill';
import { parisDayOf, startOfParisDay } from '../platform/paris-time.ts';

/** The time from one instant up to, but not including, another. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** The days from one up to, but not including, another, for example `2026-11-20`; no days if they are equal. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A period split for sums by day: whole days, and parts of days that must be looked up among the facts. */
export interface DayWindow {
  readonly days: Days;
  /** Parts to add (sign 1), or to subtract because the days contain more than the period (-1). */
  readonly parts: readonly (Period & { readonly sign: 1 | -1 })[];
}

/**
 * Splits a period into whole Paris days and parts of days. At its end the whole last day is taken and the part after
 * the period subtracted: for a period that ends now, that part is empty. At its start the shorter part is looked up.
 */
export function dayWindowOf({ from, to }: Period): DayWindow {
  if (from >= to) return { days: none, parts: [] };
  const first = parisDayOf(from);
  const last = parisDayOf(to);
  const startOfFirst = startOfParisDay(first);
  const startOfLast = startOfParisDay(last);
  const endOfFirst = startOfParisDay(first.add({ days: 1 }));
  const beginsWithin = from > startOfFirst;
  if (beginsWithin && to <= endOfFirst) return { days: none, parts: [{ from, to, sign: 1 }] };

  const parts: (Period & { sign: 1 | -1 })[] = [];
  let start = first;
  if (beginsWithin && endOfFirst.getTime() - from.getTime() < from.getTime() - startOfFirst.getTime()) {
    parts.push({ from, to: endOfFirst, sign: 1 });
    start = first.add({ days: 1 });
  } else if (beginsWithin) {
    parts.push({ from: startOfFirst, to: from, sign: -1 });
  }
  let end = last;
  if (to > startOfLast) {
    end = last.add({ days: 1 });
    parts.push({ from: to, to: startOfParisDay(end), sign: -1 });
  }
  return { days: { from: `${start}`, to: `${end}` }, parts };
}

const none: Days = { from: '0001-01-01', to: '0001-01-01' };

/** Lengths in days of the spans of sums; each span begins at a multiple of its length since `firstDay`. */
export const spanLengths = [1, 4, 16, 64] as const;
export const firstDay = '2000-01-01';

/** Adjacent spans of one length, which begin from a day up to, but not including, another. */
export interface Spans extends Days {
  readonly length: number;
}

/** The fewest spans that make up the days: 8 for 30 days and 11 for 180, on average. */
export function spansOf({ from, to }: Days): Spans[] {
  const epoch = Temporal.PlainDate.from(firstDay);
  const indexOf = (day: string) => epoch.until(day, { largestUnit: 'days' }).days;
  const end = indexOf(to);
  const found: { length: number; from: number; to: number }[] = [];
  for (let at = indexOf(from); at < end; ) {
    const length = spanLengths.findLast((one) => at % one === 0 && at + one <= end) ?? 1;
    const last = found.at(-1);
    if (last?.length === length) last.to += length;
    else found.push({ length, from: at, to: at + length });
    at += length;
  }
  const dayOf = (index: number) => `${epoch.add({ days: index })}`;
  return found.map((spans) => ({ length: spans.length, from: dayOf(spans.from), to: dayOf(spans.to) }));
}
