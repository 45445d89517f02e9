import type { Temporal } from 'temporal-polyfill';
import type { Period } from '../../activity/activity-selection.ts';
import type { Language } from '../../fields/period.ts';
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

/** Days from today, in words: for 0, for 1, and for more of them, where `%` is their number. */
const dayWords = {
  fr: {
    last: [
      '<b>aujourd’hui</b>',
      '<b>hier ou aujourd’hui</b>',
      'dans les <b>%</b> derniers jours, aujourd’hui compris',
    ],
    next: [
      '<b>aujourd’hui</b>',
      '<b>aujourd’hui ou demain</b>',
      'dans les <b>%</b> prochains jours, aujourd’hui compris',
    ],
    before: ['d’avant <b>aujourd’hui</b>', 'd’avant <b>hier</b>', 'de plus de <b>%</b> jours'],
  },
  en: {
    last: ['<b>today</b>', '<b>yesterday or today</b>', 'in the last <b>%</b> days, including today'],
    next: ['<b>today</b>', '<b>today or tomorrow</b>', 'in the next <b>%</b> days, including today'],
    before: ['before <b>today</b>', 'before <b>yesterday</b>', 'more than <b>%</b> days ago'],
  },
} as const;

/** `in the last 30 days, including today`; `before` says the days before those of `last`. */
export function daysInWords(days: number, which: 'last' | 'next' | 'before', language: Language): string {
  const [today, one, several] = dayWords[language][which];
  return [today, one][days] ?? several.replace('%', String(days));
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
