import type { Static, TSchema } from 'typebox';
import type { Field } from '../../fields/field.ts';
import type { SiteTables } from '../../platform/db/site-db.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { FileState, NeededFile } from '../filter-file.ts';
import type { PostcodeTable } from '../places/postcode-table.ts';
import type { SqlParser } from './sql-parser.ts';

/** A segment as it was sent in one job. */
export interface KnownSent {
  readonly idSent: number;
  /** As users know it: its campaign and its segment. */
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
 * What a filter is read, compiled and described against: the site as it is now. A kind that has to know more of the
 * site adds a member here, says in `needs` which part of it, has it filled in `readFilterSite`, and stays pure.
 */
export interface FilterSite {
  readonly now: Date;
  /** The site's tables, for conditions that look at more than a subscriber's own row. */
  readonly t: SiteTables;
  readonly fields: ReadonlyMap<number, Field>;
  /** Those that the filters need and that the site has. */
  readonly sents: ReadonlyMap<number, KnownSent>;
  readonly campaigns: ReadonlyMap<number, KnownCampaign>;
  /** Names by id. */
  readonly thematics: ReadonlyMap<number, string>;
  /** PostgreSQL's parser, when a filter needs it. */
  readonly sqlParser: SqlParser;
  /** What there is of the files that filters need, by `fileKey`; when a set is made, a filter is set or described. */
  readonly files: ReadonlyMap<string, FileState>;
  /** All that are known, when a filter needs them. */
  readonly postcodes: PostcodeTable;
}

/** What of the site a filter needs to know, beside what every filter gets. */
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
  /** As an operation declares it: of the body that sets the filter. */
  readonly bodyMegabytes?: number;
  /** As an operation declares them: of setting the filter, beside those that every operation has. */
  readonly refusals?: readonly (409 | 422 | 503)[];
  /** The document names the enabled flag in two ways. */
  readonly enabledMember: 'isEnabled' | 'isFilterEnabled';
  /** Set where the document requires that flag. */
  readonly isEnabledRequired?: true;
  /** The target's member that tells that it has this filter. */
  readonly flag: `has${string}Filter`;
  /** Its condition is an expression of a user's: tried when it is set, and evaluated apart, with a reader's rights. */
  readonly isWrittenByUsers?: true;
  /** What is shown where a target has no such filter. */
  readonly absent: Given<M>;
  /** One that a newcomer can set, for the reference. */
  readonly example: Given<M>;
  /**
   * What has to be read of the site for a definition. It is asked before `parse` too, of what the API was given: ids
   * that cannot be read there are left to `parse`.
   */
  needs?(definition: Given<M>): FilterNeeds;
  /**
   * The definition as it is kept, from what the API was given; undefined when it holds no condition.
   * @throws Refusal 400 that names the member and the rule, 404 for an id that the site does not have.
   */
  parse(given: Given<M>, site: FilterSite): Given<M> | undefined;
  /**
   * A condition over the columns of a subscriber (`fld7 = $1`), never empty, that may be null.
   * @throws Refusal 409 when the site has changed since so that the definition has no meaning left.
   */
  compile(definition: Given<M>, site: FilterSite): Sql;
  /** What the API shows of a definition beside what is kept: members that are computed when it is read. */
  computed?(definition: Given<M>, site: FilterSite): Given<M>;
  /** French with HTML tags; everything from a user in it is escaped. */
  describe(definition: Given<M>, site: FilterSite): string;
  /** When the filter ends and `tidyFilterFiles` has something to do for it. */
  endsAt?(definition: Given<M>): Date | undefined;
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
