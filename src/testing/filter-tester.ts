import type { Language } from '../fields/period.ts';
import { Refusal } from '../platform/http/refusal.ts';
import type { FilterKind, FilterSite, Given, Members } from '../targets/filters/filter-kind.ts';
import type { GoldenCases } from './golden.ts';

/** The status and the words of a refusal to read a definition, or the definition as it is kept. */
export function readOrRefuse<K extends string, M extends Members>(
  kind: FilterKind<K, M>,
  given: Given<M>,
  site: FilterSite,
): Given<M> | undefined | string {
  try {
    return kind.parse(given, site);
  } catch (error) {
    if (error instanceof Refusal) return `${error.status} ${error.message}`;
    throw error;
  }
}

/** Descriptions for a golden file, by the definitions as they are given. */
export function describeAll<K extends string, M extends Members>(
  kind: FilterKind<K, M>,
  given: readonly Given<M>[],
  site: FilterSite,
): GoldenCases {
  const cases = given.map((one) => {
    const definition = kind.parse(one, site);
    if (!definition) throw new Error(`No condition: ${JSON.stringify(one)}`);
    const describe = (language: Language) => kind.describe(definition, site, language);
    return [JSON.stringify(one), describe] as const;
  });
  return Object.fromEntries(cases);
}
