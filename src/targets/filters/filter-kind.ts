import type { Static, TSchema } from 'typebox';
import type { Field } from '../../fields/field.ts';
import type { Language } from '../../fields/period.ts';
import type { SiteTables } from '../../platform/db/site-db.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { PostcodeTable } from '../places/postcode-table.ts';
import type { FileState, NeededFile } from './filter-file.ts';
import type { SqlParser } from './sql-parser.ts';

/** A segment as it was sent in one job. */
export interface KnownSent {
  readonly idSent: number;
  /** The names of its campaign and segment. */
  readonly name: string;
  readonly isTest: boolean;
}

export interface KnownCampaign {
  readonly idCampaign: number;
  readonly name: string;
  /** When its last real job began; null while there was none. */
  readonly lastSentAt: Date | null;
  /** The sendings of its real jobs. */
  readonly idsSent: readonly number[];
}

/**
 * The current state of the site that a filter is parsed, compiled and described against. A kind that needs more adds a
 * property here, requests it in `needs`, has `readFilterSite` fill it in, and stays pure.
 */
export interface FilterSite {
  readonly now: Date;
  /** The site's tables, for conditions that look at more than a subscriber's own row. */
  readonly t: SiteTables;
  readonly fields: ReadonlyMap<number, Field>;
  /** The sendings that the filters need and that exist, by id. */
  readonly sents: ReadonlyMap<number, KnownSent>;
  readonly campaigns: ReadonlyMap<number, KnownCampaign>;
  /** Names by id. */
  readonly thematics: ReadonlyMap<number, string>;
  /** PostgreSQL's parser, if a filter needs it. */
  readonly sqlParser: SqlParser;
  /** The files that the filters need, by `fileKey`; filled when a filter is set, described or used. */
  readonly files: ReadonlyMap<string, FileState>;
  /** All known postcodes, if a filter needs them. */
  readonly postcodes: PostcodeTable;
}

/** The parts of the site that a filter needs besides what every filter gets. */
export interface FilterNeeds {
  readonly idsSent?: readonly number[];
  readonly idsCampaign?: readonly number[];
  readonly idsThematic?: readonly number[];
  readonly postcodes?: true;
  readonly sqlParser?: true;
  readonly files?: readonly NeededFile[];
}

export type Members = Record<string, TSchema>;
export type Given<M extends Members> = { [K in keyof M]?: Static<M[K]> };

/**
 * A kind of filter. A target has at most one filter of each kind. All functions are pure; they read the site from
 * `site`.
 */
export interface FilterKind<
  K extends string = string,
  M extends Members = Members,
  F extends `has${string}Filter` = `has${string}Filter`,
> {
  /** The value of target_filter.kind; operation ids and paths are derived from it: `emailPressure`. */
  readonly kind: K;
  /** The name of the schema in the API document: `FieldFilter`. */
  readonly title: string;
  /** The name in descriptions. */
  readonly heading: Readonly<Record<Language, string>>;
  /** Properties of the body besides idTarget and the enabled flag. */
  readonly members: M;
  /** The limit of the body that sets the filter, if it is not the default. */
  readonly bodyMegabytes?: number;
  /** Refusals of setting the filter besides those of every operation. */
  readonly refusals?: readonly (409 | 422 | 503)[];
  /** The name of the enabled flag; the API document uses two. */
  readonly enabledMember: 'isEnabled' | 'isFilterEnabled';
  /** Whether the API document requires the enabled flag. */
  readonly isEnabledRequired?: true;
  /** The target's property that shows whether it has this filter. */
  readonly flag: F;
  /**
   * Whether the condition is an expression written by a user: tried when it is set, and evaluated with a reader's
   * rights.
   */
  readonly isWrittenByUsers?: true;
  /** The reply for a target without such a filter. */
  readonly absent: Given<M>;
  /** An example for the API document. */
  readonly example: Given<M>;
  /**
   * The parts of the site that a definition needs. Called before `parse` too, with what the API received: ids that
   * cannot be read are left to `parse`.
   */
  needs?(definition: Given<M>): FilterNeeds;
  /**
   * The definition to store, from what the API received; undefined if it has no condition.
   * @throws Refusal 400 that names the property and the rule, 404 for an id that the site does not have.
   */
  parse(given: Given<M>, site: FilterSite): Given<M> | undefined;
  /**
   * A condition over the columns of a subscriber (`fld7 = $1`), never empty, that may be null.
   * @throws Refusal 409 when the site has changed so that the definition no longer has a meaning.
   */
  compile(definition: Given<M>, site: FilterSite): Sql;
  /** Properties that are computed when the filter is read, not stored. */
  computed?(definition: Given<M>, site: FilterSite): Given<M>;
  /** Sentences with HTML tags; everything from a user in them is escaped. */
  describe(definition: Given<M>, site: FilterSite, language: Language): string;
  /** When the filter ends and `tidyFilterFiles` has something to do for it. */
  endsAt?(definition: Given<M>): Date | undefined;
}

/** Declares a kind, which `filter-kinds.ts` lists. Properties of `absent` are null by default. */
export function filterKind<const K extends string, M extends Members, const F extends `has${string}Filter`>(
  declared: Omit<FilterKind<K, M, F>, 'absent'> & { readonly absent?: Given<M> },
): FilterKind<K, M, F> {
  // fromEntries loses the names; they are those of the kind's properties.
  const nothing = Object.fromEntries(Object.keys(declared.members).map((name) => [name, null])) as Given<M>;
  return { ...declared, absent: { ...nothing, ...declared.absent } };
}

/** A filter as a target holds it. */
export interface TargetFilter {
  readonly idTarget: number;
  readonly kind: string;
  readonly isEnabled: boolean;
  readonly definition: Readonly<Record<string, unknown>>;
}
