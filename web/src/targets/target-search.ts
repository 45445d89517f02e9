import { type PartSearch, readPartSearch } from '../parts/part-search.ts';

/** The parts of the list of targets, as the service names them. */
export const targetParts = ['All', 'MyFavorites', 'MyTests', 'Archives'] as const;
export type TargetPart = (typeof targetParts)[number];

/** The search, part and page in the address of the list. */
export type TargetSearch = PartSearch<TargetPart>;

/** Reads an address; what it does not know is omitted. */
export const readTargetSearch = (search: Record<string, unknown>): TargetSearch =>
  readPartSearch(targetParts, search);
