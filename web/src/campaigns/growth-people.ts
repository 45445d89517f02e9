import { api, dataOf } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import type { PeoplePage } from './people-figure.ts';

/** People who joined or left: the days, and for those who left the cause and the sending. */
export type GrowthFigure = Pick<
  operations['listGrowthPeople']['parameters']['query'],
  'figure' | 'startDate' | 'endDate' | 'cause' | 'idSent'
>;

interface GrowthPage {
  /** The cursor of the page; undefined means the first one. */
  readonly before: string | undefined;
  readonly limit: number;
  /** Only people who have this text. */
  readonly search?: string;
  readonly signal: AbortSignal | undefined;
}

/** Reads a page of those who joined or left. */
export async function readGrowthPage(
  idsite: string,
  growth: GrowthFigure,
  { before, limit, search, signal }: GrowthPage,
): Promise<PeoplePage> {
  const query = {
    ...{ ...growth, limit },
    ...(before !== undefined && { before }),
    ...(search !== undefined && { search }),
  };
  const { people, next, nbCounted, nbListed } = await dataOf(
    api.GET('/v1/{idsite}/statistics/growth/people', { params: { path: { idsite }, query }, signal }),
  );
  return {
    ...{ people, counts: { counted: nbCounted, listed: nbListed } },
    next: next === null ? undefined : { sending: 0, after: 0, before: next },
  };
}

/** The days of a figure, for the name of a file. */
export const daysOfGrowth = ({ startDate, endDate }: GrowthFigure): string =>
  [startDate.slice(0, 10), endDate.slice(0, 10)].join('-');
