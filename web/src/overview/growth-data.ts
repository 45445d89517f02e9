import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type GrowthDay = components['schemas']['GrowthDay'];
export type ProviderResults = components['schemas']['ProviderResults'];
export type GrowthPart = components['schemas']['GrowthPart'];

/** The people who joined and left on each of the last days; days without a change are missing. */
export const growthOf = (idsite: string, nbDays: number) => ({
  queryKey: ['growth', idsite, nbDays],
  staleTime: 60_000,
  queryFn: () =>
    dataOf(api.GET('/v1/{idsite}/statistics/growth', { params: { path: { idsite }, query: { nbDays } } })),
});

/** The deliveries of the last days by provider, the largest first. */
export const recentProvidersOf = (idsite: string, nbDays: number) => ({
  queryKey: ['recent-providers', idsite, nbDays],
  staleTime: 60_000,
  queryFn: () =>
    dataOf(
      api.GET('/v1/{idsite}/statistics/recent-providers', {
        params: { path: { idsite }, query: { nbDays } },
      }),
    ),
});

/** One bar of the chart: a day, or a week of a long period. */
export interface GrowthBar {
  /** The beginning of its first day, in milliseconds since 1970. */
  readonly from: number;
  readonly joined: number;
  readonly left: number;
  readonly causes: readonly GrowthPart[];
}

const dayMs = 86_400_000;
/** Periods of more days have a bar for each week. */
const mostDays = 90;

/** Whether the bars of a period are weeks. */
export const isByWeek = (nbDays: number): boolean => nbDays > mostDays;

/** The Paris day of an instant, as days since 1970. */
function parisDayOf(at: number): number {
  const [day, month, year] = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Paris' })
    .format(at)
    .split('/')
    .map(Number);
  return Date.UTC(year!, month! - 1, day!) / dayMs;
}

/** The bars of a period that ends today, oldest first, including days on which nobody joined or left. */
export function barsOf(days: readonly GrowthDay[], nbDays: number, now: number): readonly GrowthBar[] {
  const length = isByWeek(nbDays) ? 7 : 1;
  const today = parisDayOf(now);
  const count = Math.ceil(nbDays / length);
  const first = today + 1 - count * length;
  const bars = Array.from({ length: count }, (_, index) => ({
    // Noon is on the same day in Paris, whatever the season.
    from: (first + index * length) * dayMs + dayMs / 2,
    joined: 0,
    left: 0,
    causes: [] as GrowthPart[],
  }));
  for (const { date, nbJoined, nbLeft, causes } of days) {
    const bar = bars[Math.floor((parisDayOf(Date.parse(date)) - first) / length)];
    if (!bar) continue;
    bar.joined += nbJoined;
    bar.left += nbLeft;
    bar.causes.push(...causes);
  }
  return bars;
}

/** Noon on a Paris day, which is on the same day everywhere in Europe. */
const noonOf = (parisDay: number): string => new Date(parisDay * dayMs + dayMs / 2).toISOString();

/** The first and the last day of a period that ends today, as the list of those who joined or left takes them. */
export function daysOfPeriod(nbDays: number, now: number) {
  const today = parisDayOf(now);
  return { startDate: noonOf(today + 1 - nbDays), endDate: noonOf(today) };
}

/** The first and the last day of a bar within the period, as the list of those who joined or left takes them. */
export function daysOfBar({ from }: GrowthBar, nbDays: number, now: number) {
  const length = isByWeek(nbDays) ? 7 : 1;
  const first = parisDayOf(from);
  // The first week can begin before the period.
  return {
    startDate: noonOf(Math.max(first, parisDayOf(now) + 1 - nbDays)),
    endDate: noonOf(first + length - 1),
  };
}

/** Causes of leaving whose people the service can list. */
const listedCauses = ['Page', 'OneClick', 'Complaint', 'Bounce'] as const;

/** Those who left by what stands out; undefined where the service knows nobody. */
export function peopleOf({ date, figure, part: { cause, idSent } }: Outstanding) {
  const listed = listedCauses.find((one) => one === cause);
  // Without a sending they are some of all who left by that cause.
  if (figure === 'nbJoined' || listed === undefined || idSent === 0) return undefined;
  return { figure, startDate: date, endDate: date, cause: listed, idSent };
}

/** A change that stands out: the largest one of its direction. */
export interface Outstanding {
  readonly date: string;
  readonly figure: 'nbJoined' | 'nbLeft';
  readonly part: GrowthPart;
}

/** The largest cause of joining and the largest of leaving, each with its day; not sample data. */
export function outstandingOf(days: readonly GrowthDay[]): readonly Outstanding[] {
  const all = days.flatMap(({ date, causes }) =>
    causes.filter(({ cause }) => cause !== 'SampleData').map((part) => ({ date, part })),
  );
  return (['nbJoined', 'nbLeft'] as const).flatMap((figure) => {
    const [largest] = all
      .filter(({ part }) => part[figure] > 0)
      .sort((one, other) => other.part[figure] - one.part[figure]);
    return largest ? [{ ...largest, figure }] : [];
  });
}
