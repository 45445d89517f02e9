import type { Static, TSchema } from 'typebox';
import type { Field } from '../../fields/field.ts';
import type { Sql } from '../../platform/db/sql.ts';

/**
 * What a filter is read, compiled and described against: the site as it is now. A kind that has to know more of the
 * site (its thematics, its sendings) adds a member here and fills it in `readFilterSite`, and stays pure.
 */
export interface FilterSite {
  readonly fields: ReadonlyMap<number, Field>;
  readonly now: Date;
}

export type Members = Record<string, TSchema>;
export type Given<M extends Members> = { [K in keyof M]?: Static<M[K]> };

/**
 * One kind of filter. A target holds at most one of each. All functions are pure: what they need to know of the site
 * is in `site`.
 */
export interface FilterKind<K extends string = string, M extends Members = Members> {
  /** As it is kept in target_filter.kind; the operations' names and paths are made from it: `emailPressure`. */
  readonly kind: K;
  /** The type's name in the reference: `FieldFilter`. */
  readonly title: string;
  /** What descriptions call it. */
  readonly french: string;
  /** Members of the body beside idTarget and the enabled flag. */
  readonly members: M;
  /** The document names the enabled flag in two ways. */
  readonly enabledMember: 'isEnabled' | 'isFilterEnabled';
  /** The target's member that tells that it has this filter. */
  readonly flag: `has${string}Filter`;
  /** What is shown where a target has no such filter. */
  readonly absent: Given<M>;
  /** One that a newcomer can set, for the reference. */
  readonly example: Given<M>;
  /**
   * The definition as it is kept, from what the API was given; undefined when it holds no condition.
   * @throws Refusal 400 that names the member and the rule.
   */
  parse(given: Given<M>, site: FilterSite): Given<M> | undefined;
  /**
   * A condition over the columns of a subscriber (`fld7 = $1`), never empty, that may be null.
   * @throws Refusal 409 when the site has changed since so that the definition has no meaning any more.
   */
  compile(definition: Given<M>, site: FilterSite): Sql;
  /** French with HTML tags; everything from a user in it is escaped. */
  describe(definition: Given<M>, site: FilterSite): string;
  /** Whether this definition alone keeps everybody out who is not subscribed. */
  isSafe?(definition: Given<M>): boolean;
}

/** Declares a kind; the table `filter-kinds.ts` lists it. */
export function filterKind<const K extends string, M extends Members>(
  declared: FilterKind<K, M>,
): FilterKind<K, M> {
  return declared;
}

/** A filter as a target holds it. */
export interface TargetFilter {
  readonly idTarget: number;
  readonly kind: string;
  readonly isEnabled: boolean;
  readonly definition: Readonly<Record<string, unknown>>;
}
