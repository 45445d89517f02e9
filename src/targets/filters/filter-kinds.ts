import { behaviourFilter } from './behaviour-filter.ts';
import { emailPressureFilter } from './email-pressure-filter.ts';
import { fieldFilter } from './field-filter.ts';
import { fileFilter } from './file-filter.ts';
import type { FilterKind } from './filter-kind.ts';
import { geolocationFilter } from './geolocation-filter.ts';
import { sendingFilter } from './sending-filter.ts';
import { sqlFilter } from './sql-filter.ts';
import { thematicFilter } from './thematic-filter.ts';

/**
 * Every kind of filter. Operations, compiler, description, a target's flags and their tests are made from this list.
 * Descriptions follow its order. CONTRIBUTING.md says what else a new kind needs.
 */
export const filterKinds = [
  fieldFilter,
  behaviourFilter,
  thematicFilter,
  sendingFilter,
  emailPressureFilter,
  geolocationFilter,
  sqlFilter,
  fileFilter,
] as const;

export type FilterKindName = (typeof filterKinds)[number]['kind'];

/** The kind of a stored filter. */
export function filterKindOf(name: string): FilterKind {
  const found = filterKinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`No such kind of filter: ${name}`);
  return found;
}
