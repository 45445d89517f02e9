import { Temporal } from 'temporal-polyfill';
import { parisDayOf, startOfParisDay } from '../platform/paris-time.ts';

/** From an instant on, up to and without another one. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Days from one up to and without another, as `2026-11-20`; equal ones are none. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A period as sums by day answer it: whole days, and parts of days that must be looked up among the facts. */
export interface DayWindow {
  readonly days: Days;
  /** Parts to be added (sign 1), or to be taken off because the days hold more than is requested (-1). */
  readonly parts: readonly (Period & { readonly sign: 1 | -1 })[];
}

/**
 * Cuts a period into whole days of Paris and parts of days. At its end the whole last day is taken and what comes
 * after it is taken off again: a period that ends now ends in a day of which nothing comes later. At its start the
 * shorter part is looked up.
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

/** Lengths in days of the spans that sums are kept of; each begins at a multiple of its length since `firstDay`. */
export const spanLengths = [1, 4, 16, 64] as const;
export const firstDay = '2000-01-01';

/** Spans of one length that follow each other: those that begin from a day up to and without another. */
export interface Spans extends Days {
  readonly length: number;
}

/** The fewest spans that make up days: 8 for 30 days and 11 for 180, on average. */
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
