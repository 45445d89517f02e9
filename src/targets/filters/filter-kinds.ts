import { fieldFilter } from './field-filter.ts';
import type { FilterKind } from './filter-kind.ts';

/**
 * Every kind of filter. Operations, compiler, description, a target's flags and their tests are made from this
 * table: a further kind is its file and a line here. Its order is the order of descriptions.
 */
export const filterKinds = [fieldFilter] as const;

export type FilterKindName = (typeof filterKinds)[number]['kind'];

/** The kind of a stored filter. */
export function filterKindOf(name: string): FilterKind {
  const found = filterKinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`No such kind of filter: ${name}`);
  return found;
}
