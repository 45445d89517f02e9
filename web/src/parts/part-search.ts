/** The search, part or directory, and page in the address of a list. */
export interface PartSearch<Part extends string> {
  readonly search?: string | undefined;
  readonly part?: Part | undefined;
  /** A directory instead of a part, in lists that have them. */
  readonly directory?: number | undefined;
  readonly page?: number | undefined;
}

/** Rows of a page of a list. */
export const pageSize = 50;

/** Reads an address; what it does not know is omitted, and so is the first part, which is the usual one. */
export function readPartSearch<Part extends string>(
  parts: readonly Part[],
  search: Record<string, unknown>,
): PartSearch<Part> {
  const part = parts.find((known) => known === search.part);
  const { directory } = search;
  const page = typeof search.page === 'number' && search.page > 1 ? Math.floor(search.page) : undefined;
  // A number that was typed is a text here.
  const text = search.search === undefined ? '' : String(search.search);
  return {
    ...(text !== '' && { search: text }),
    ...(part && part !== parts[0] && { part }),
    ...(typeof directory === 'number' && directory > 0 && { directory: Math.floor(directory) }),
    ...(page && { page }),
  };
}
