/** The parts of the list of targets, as the service names them. */
export const targetParts = ['All', 'MyFavorites', 'MyTests', 'Archives'] as const;
export type TargetPart = (typeof targetParts)[number];

/** The search, part and page in the address of the list. */
export interface TargetSearch {
  readonly search?: string;
  readonly part?: TargetPart;
  readonly page?: number;
}

/** Reads an address; what it does not know is omitted. */
export function readTargetSearch(search: Record<string, unknown>): TargetSearch {
  const part = targetParts.find((known) => known === search.part);
  const page = typeof search.page === 'number' && search.page > 1 ? Math.floor(search.page) : undefined;
  const text = search.search === undefined ? '' : String(search.search);
  return {
    ...(text !== '' && { search: text }),
    ...(part && part !== 'All' && { part }),
    ...(page && { page }),
  };
}
