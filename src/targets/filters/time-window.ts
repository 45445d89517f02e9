import type { Temporal } from 'temporal-polyfill';
import type { Period } from '../../activity/activity-selection.ts';
import { Type } from '../../platform/http/schema.ts';
import { parisDayOf, startOfParisDay } from '../../platform/paris-time.ts';

/** Maximum number of days back in filters on activity. */
export const maxDaysAgo = 180;

export const DaysAgo = () =>
  Type.Integer({
    title: 'Int32',
    minimum: 0,
    maximum: maxDaysAgo,
    description: 'Whole days in Paris: 0 is today, 1 yesterday and today',
  });

export function daysFromTo(from: Temporal.PlainDate, to: Temporal.PlainDate): Period {
  return { from: startOfParisDay(from), to: startOfParisDay(to) };
}

/** The Paris days from `days` days ago through today: 0 is today alone. */
export function lastDays(now: Date, days: number): Period {
  const today = parisDayOf(now);
  return daysFromTo(today.subtract({ days }), today.add({ days: 1 }));
}

/** `dans les 30 derniers jours, aujourd’hui compris`. */
export function frenchLastDays(days: number): string {
  if (days === 0) return '<b>aujourd’hui</b>';
  if (days === 1) return '<b>hier ou aujourd’hui</b>';
  return `dans les <b>${days}</b> derniers jours, aujourd’hui compris`;
}

/** `dans les 30 prochains jours, aujourd’hui compris`. */
export function frenchNextDays(days: number): string {
  if (days === 0) return '<b>aujourd’hui</b>';
  if (days === 1) return '<b>aujourd’hui ou demain</b>';
  return `dans les <b>${days}</b> prochains jours, aujourd’hui compris`;
}

/** French words for a date before the days of `frenchLastDays`. */
export function frenchDaysAgo(days: number): string {
  if (days === 0) return 'd’avant <b>aujourd’hui</b>';
  if (days === 1) return 'd’avant <b>hier</b>';
  return `de plus de <b>${days}</b> jours`;
}

/** The periods in order and without overlap. */
export function merged(periods: readonly Period[]): Period[] {
  const result: Period[] = [];
  for (const next of periods.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = result.at(-1);
    if (last && next.from <= last.to) {
      result[result.length - 1] = { from: last.from, to: next.to > last.to ? next.to : last.to };
    } else result.push(next);
  }
  return result;
}
