import { type PartSearch, readPartSearch } from '../parts/part-search.ts';

/** The parts of the list of imports: all, and their states as the service names them. */
export const importParts = [
  'All',
  'Scheduled',
  'InProgress',
  'Completed',
  'Paused',
  'PackageErrorCreation',
] as const;

/** The search, part and page in the address of the list. */
export type ImportSearch = PartSearch<(typeof importParts)[number]>;

/** Reads an address; what it does not know is omitted. */
export const readImportSearch = (search: Record<string, unknown>): ImportSearch =>
  readPartSearch(importParts, search);
