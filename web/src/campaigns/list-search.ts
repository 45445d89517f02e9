/** The parts of the list of campaigns. */
export const parts = ['all', 'drafts', 'scheduled', 'sending', 'sent', 'problems', 'archive'] as const;
export type Part = (typeof parts)[number];

/** Columns that the list can be sorted by. */
export const sortColumns = ['Name', 'LastUpdateDate', 'Id'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Search, part, order and page of the list, as its address has them. */
export interface ListSearch {
  readonly search?: string;
  readonly part?: Part;
  readonly sort?: SortColumn;
  readonly order?: 'ASC' | 'DESC';
  readonly page?: number;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

/** Reads an address; what it does not know is left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const part = oneOf(parts, search.part);
  const sort = oneOf(sortColumns, search.sort);
  const order = oneOf(['ASC', 'DESC'] as const, search.order);
  const page = typeof search.page === 'number' && search.page > 1 ? Math.floor(search.page) : undefined;
  // A number that was typed is a text here.
  const text = search.search === undefined ? '' : String(search.search);
  return {
    ...(text !== '' && { search: text }),
    ...(part && part !== 'all' && { part }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(page && { page }),
  };
}
