/** The parts of the list of campaigns. */
export const parts = ['all', 'drafts', 'scheduled', 'sending', 'sent', 'problems', 'archive'] as const;
export type Part = (typeof parts)[number];

/** Columns that the list can be sorted by. */
export const sortColumns = [
  ...(['Name', 'LastUpdateDate', 'Id', 'Type', 'Author', 'Directories'] as const),
  // The people of the segments, as they were last counted.
  'LastNbAddressesCount',
] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Types that the list can be limited to. */
export const campaignTypes = [
  'Newsletter',
  'Dedicated',
  'Other',
  'ExternalGame',
  'InternalGame',
  'Topic',
  'Rent',
  'Transac',
] as const;

/** Search, filters, order and page of the list, as its address has them. */
export interface ListSearch {
  readonly search?: string;
  readonly part?: Part;
  /** Favourites, those of the user, or the id of a directory. */
  readonly where?: string;
  readonly type?: (typeof campaignTypes)[number];
  /** The user who created them. */
  readonly author?: number;
  /** First and last day of their creation, `yyyy-MM-dd`. */
  readonly from?: string;
  readonly to?: string;
  readonly sort?: SortColumn;
  readonly order?: 'ASC' | 'DESC';
  readonly page?: number;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;

const wholeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : undefined;

/** Reads an address; what it does not know is left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const part = oneOf(parts, search.part);
  const sort = oneOf(sortColumns, search.sort);
  const order = oneOf(['ASC', 'DESC'] as const, search.order);
  const type = oneOf(campaignTypes, search.type);
  const where = /^(?:MyFavorites|myCreatedLocation|[1-9]\d{0,8})$/.exec(String(search.where ?? ''))?.[0];
  const [from, to] = [dayOf(search.from), dayOf(search.to)];
  const author = wholeOf(search.author);
  const page = typeof search.page === 'number' && search.page > 1 ? Math.floor(search.page) : undefined;
  // A number that was typed is a text here.
  const text = search.search === undefined ? '' : String(search.search);
  return {
    ...(text !== '' && { search: text }),
    ...(part && part !== 'all' && { part }),
    ...(where && { where }),
    ...(type && { type }),
    ...(author && { author }),
    ...(from && { from }),
    ...(to && { to }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(page && { page }),
  };
}

/** Search of the calendar, as its address has it. */
export interface CalendarSearch {
  /** `yyyy-MM`. Default: this month. */
  readonly month?: string;
}

/** Reads an address; what it does not know is left out. */
export const readCalendarSearch = ({ month }: Record<string, unknown>): CalendarSearch =>
  typeof month === 'string' && /^(19[7-9]|2\d\d)\d-(0[1-9]|1[0-2])$/.test(month) ? { month } : {};
