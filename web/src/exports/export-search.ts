import { type PartSearch, readPartSearch } from '../parts/part-search.ts';

/** The parts of the list of exports: all, and their states as the service names them. */
export const exportParts = ['All', 'SCHEDULED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** The search, part and page in the address of the list. */
export type ExportSearch = PartSearch<(typeof exportParts)[number]>;

/** Reads an address; what it does not know is omitted. */
export const readExportSearch = (search: Record<string, unknown>): ExportSearch =>
  readPartSearch(exportParts, search);
