import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { thematicNames } from '../contents/thematic-store.ts';
import { holdFields } from '../fields/field-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import { currentFiles, describedFiles } from './current-files.ts';
import { evaluating, inTurn, selecting, snapshotOf, TimeLimit } from './evaluation.ts';
import { withLoadedFiles } from './file-loads.ts';
import { findCampaigns, findSents } from './filter-reference-store.ts';
import type { FilterNeeds, FilterSite, TargetFilter } from './filters/filter-kind.ts';
import { filterKindOf } from './filters/filter-kinds.ts';
import { sqlParser, unneededParser } from './filters/sql-parser.ts';
import { readPostcodes } from './places/postcode-store.ts';
import { PostcodeTable } from './places/postcode-table.ts';
import { type TargetSource, targetCondition, targetQuery } from './target-query.ts';
import { readWithExcluded } from './target-store.ts';
import { planByReader, selectByExpressions, type UserExpression } from './user-expression.ts';

/** A target is answered for in this time, or not at all: what takes longer would slow the sites beside it down. */
const readingMs = 30_000;

/** Whom a target selects: as a query, and as a condition on a subscriber's row where it is not cut. */
export interface TargetMembers {
  readonly query: Sql;
  readonly condition: Sql | undefined;
}

/**
 * Whom targets select at an instant, each as a query (`select fld0 …`) to be put in parentheses: the one way from a
 * target to its subscribers, for counts, ids, segments and sendings. It gives each subscriber once, in no order.
 * With a random cut each run of the query makes another choice. It runs inside `evaluating`, in the transaction that
 * it was made in, which is one of `selecting` (or keeps its snapshot from its beginning) inside `withLoadedFiles`.
 * @param limit for the expressions of users among their filters, which are evaluated here.
 * @throws 404 for an unknown target; 409 when the site has changed so that a filter has lost its meaning; 503 `loading`
 *   when a file of a filter is to be loaded; as `evaluating`.
 */
export async function targetMembers(
  app: App,
  tx: SiteDb,
  idTargets: readonly number[],
  at: Date,
  limit: TimeLimit,
): Promise<Map<number, TargetMembers>> {
  const { targets, filters } = await readTargets(tx, idTargets);
  const snapshot = filters.some(isWritten) ? await snapshotOf(tx) : undefined;
  const site = await readSiteForUse(app, tx, at, filters);
  const conditions = await compileFilters(filters, site);
  const expressions = expressionsAmong(conditions);
  if (expressions.length > 0) {
    // What users wrote is in no statement of ours: in its place is whom it selects.
    const selected = await selectByExpressions(app, tx, snapshot, expressions, site, limit);
    for (const { filter, expression } of expressions) conditions.set(filter, selected.get(expression.text)!);
  }
  return membersOf({ subscriber: tx.t.subscriber, targets, conditions }, idTargets);
}

/**
 * Makes sure that targets have a meaning on the site as it is now, without looking at any subscriber: everything is
 * compiled as for `targetMembers`, and what users wrote is planned, but not evaluated.
 * @throws as `targetMembers`, but for what only shows on the subscribers' values.
 */
export async function checkTargets(
  app: App,
  tx: SiteDb,
  idTargets: readonly number[],
  at: Date,
  limit: TimeLimit,
): Promise<void> {
  const { filters } = await readTargets(tx, idTargets);
  const site = await readSiteForUse(app, tx, at, filters);
  const expressions = expressionsAmong(await compileFilters(filters, site));
  if (expressions.length > 0) await planByReader(app, tx, expressions, site, limit);
}

/**
 * The targets with all that they exclude, and the enabled filters of them all.
 * @throws 404 for an unknown target, as `readWithExcluded` besides.
 */
async function readTargets(tx: SiteDb, idTargets: readonly number[]) {
  const targets = await readWithExcluded(tx, idTargets);
  if (!idTargets.every((id) => targets.has(id))) throw notFound('Target');
  const filters = [...targets.values()].flatMap((target) => target.filters.filter((one) => one.isEnabled));
  return { targets, filters };
}

const isWritten = ({ kind }: AnyFilter): boolean => filterKindOf(kind).isWrittenByUsers === true;

/**
 * What each of the filters asks of a subscriber's row. Each is compiled once, however often its target is mentioned;
 * a large one takes up to a second, so anyone who else waits for the process has their turn before the next.
 */
export async function compileFilters(
  filters: readonly TargetFilter[],
  site: FilterSite,
): Promise<Map<TargetFilter, Sql>> {
  const conditions = new Map<TargetFilter, Sql>();
  for (const filter of filters) {
    const { kind, definition } = filter;
    conditions.set(filter, filterKindOf(kind).compile(definition, site));
    await turnOfOthers();
  }
  return conditions;
}

/** The conditions of filters that users write: they are evaluated apart. */
function expressionsAmong(
  conditions: ReadonlyMap<TargetFilter, Sql>,
): (UserExpression & { readonly filter: TargetFilter })[] {
  const written = [...conditions].filter(([filter]) => isWritten(filter));
  return written.map(([filter, expression]) => ({ filter, idTarget: filter.idTarget, expression }));
}

function membersOf(source: TargetSource, idTargets: readonly number[]): Map<number, TargetMembers> {
  return new Map(
    idTargets.map((id) => [id, { query: targetQuery(source, id), condition: targetCondition(source, id) }]),
  );
}

/** The set of one target, as a query; see `targetMembers`. */
export async function targetSet(
  app: App,
  tx: SiteDb,
  idTarget: number,
  at: Date,
  limit: TimeLimit,
): Promise<Sql> {
  return (await targetMembers(app, tx, [idTarget], at, limit)).get(idTarget)!.query;
}

/** What is read, when, and what ends it before: most often that its caller went away. */
interface TargetReading {
  readonly app: App;
  readonly db: SiteDb;
  readonly idTarget: number;
  readonly at: Date;
  readonly signal?: AbortSignal;
}

/** Reads from the set of a target, in a transaction that can change nothing and ends in time. */
export async function readTargetSet<T>(
  { app, db, idTarget, at, signal }: TargetReading,
  read: (tx: SiteDb, set: Sql) => Promise<T>,
): Promise<T> {
  const work = async (tx: SiteDb) => {
    await tx.run(sql`set transaction read only`);
    const limit = new TimeLimit(readingMs, signal);
    const set = await targetSet(app, tx, idTarget, at, limit);
    return evaluating(tx, limit, () => read(tx, set));
  };
  return withLoadedFiles(() => inTurn(app, db, () => selecting(db, work, 'caller', signal), signal));
}

type AnyFilter = Pick<TargetFilter, 'kind' | 'definition'>;

/**
 * What these filters are set and compiled against: as `readFilterSite`, with the files that they name as they are in
 * the repository now.
 * @throws 503 when the repository is unavailable, 503 `loading` when a file has changed and is to be loaded.
 */
export async function readSiteForUse(
  app: App,
  tx: SiteDb,
  at: Date,
  filters: readonly AnyFilter[],
): Promise<FilterSite> {
  const site = await readFilterSite(app, tx, at, filters);
  const needed = needsOf(filters).flatMap((one) => one.files ?? []);
  return { ...site, files: await currentFiles(app, tx, needed, site.fields, at) };
}

/** What these filters are described against: as for their use, but that nothing has to be in order for it. */
export async function readSiteForDescription(
  app: App,
  db: SiteDb,
  at: Date,
  filters: readonly AnyFilter[],
): Promise<FilterSite> {
  const site = await readFilterSite(app, db, at, filters);
  const needed = needsOf(filters).flatMap((one) => one.files ?? []);
  return { ...site, files: await describedFiles(app, db, needed, site.fields, at) };
}

const needsOf = (filters: readonly AnyFilter[]): FilterNeeds[] =>
  filters.map(({ kind, definition }) => filterKindOf(kind).needs?.(definition) ?? {});

/**
 * What these filters are read against, without their files. Inside a transaction the fields keep their types
 * until its end, so a set that is run there means what it was compiled to.
 */
export async function readFilterSite(
  app: App,
  db: SiteDb,
  at: Date,
  filters: readonly AnyFilter[],
): Promise<FilterSite> {
  const needs = needsOf(filters);
  const all = (which: 'idsSent' | 'idsCampaign' | 'idsThematic') => [
    ...new Set(needs.flatMap((one) => one[which] ?? [])),
  ];
  const fields = await holdFields(db);
  return {
    now: at,
    t: db.t,
    fields: new Map(fields.map((field) => [field.id, field])),
    sents: await findSents(db, all('idsSent')),
    campaigns: await findCampaigns(db, all('idsCampaign')),
    thematics: await thematicNames(db, all('idsThematic')),
    sqlParser: needs.some((one) => one.sqlParser) ? await sqlParser() : unneededParser,
    files: new Map(),
    postcodes: needs.some((one) => one.postcodes) ? await readPostcodes(app.control) : new PostcodeTable([]),
  };
}
