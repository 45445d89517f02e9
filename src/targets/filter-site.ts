import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { thematicNames } from '../contents/thematic-store.ts';
import { holdFields } from '../fields/field-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { currentFiles } from './current-files.ts';
import type {
  FilterKind,
  FilterNeeds,
  FilterSite,
  KnownCampaign,
  KnownSent,
  TargetFilter,
} from './filters/filter-kind.ts';
import { filterKindOf } from './filters/filter-kinds.ts';
import { sqlParser, unneededParser } from './filters/sql-parser.ts';
import { readPostcodes } from './places/postcode-store.ts';
import { PostcodeTable } from './places/postcode-table.ts';
import { tryUserExpression } from './user-expression.ts';

/**
 * Compiles each filter to a condition on a subscriber's row. Each is compiled once, however often its target is
 * mentioned. A large filter takes up to a second, so other work of the process runs before the next one.
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

/**
 * Parses a filter as it was given, and tries the expression that a user wrote. Undefined for one without a condition.
 * @param among see `SelectionOptions`
 * @throws 400, 404 or 422 naming the property
 */
export async function parseFilter(
  app: App,
  tx: SiteDb,
  kind: FilterKind,
  given: Readonly<Record<string, unknown>>,
  site: FilterSite,
  among?: number,
) {
  const definition = kind.parse(given, site);
  if (definition && kind.isWrittenByUsers)
    await tryUserExpression(app, tx, kind.compile(definition, site), site, among);
  return definition;
}

type AnyFilter = Pick<TargetFilter, 'kind' | 'definition'>;

/**
 * Reads what these filters are set and compiled against: as `readFilterSite`, with the files that they name as they
 * are in the repository now. For a description, `readFiles` is `describedFiles`, which returns faults of files.
 * @throws 503 when the repository is unavailable, 503 `loading` when a file has changed and is to be loaded.
 */
export async function readSiteForUse(
  app: App,
  db: SiteDb,
  at: Date,
  filters: readonly AnyFilter[],
  readFiles = currentFiles,
): Promise<FilterSite> {
  const site = await readFilterSite(app, db, at, filters);
  const needed = needsOf(filters).flatMap((one) => one.files ?? []);
  return { ...site, files: await readFiles(app, db, needed, site.fields, at) };
}

const needsOf = (filters: readonly AnyFilter[]): FilterNeeds[] =>
  filters.map(({ kind, definition }) => filterKindOf(kind).needs?.(definition) ?? {});

/**
 * Reads what these filters refer to on the site, without their files. Inside a transaction the fields keep their
 * types until its end, so a set that is evaluated there means what it was compiled to.
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

/** The existing sendings among the ids, test mailings too, by id. */
async function findSents(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownSent>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownSent>(sql`
    select id as "idSent", campaign_name || ' – ' || segment_name as name, is_test as "isTest"
    from ${db.t.known_sent} where id = any(${ids}::int[])`);
  return new Map(rows.map((row) => [row.idSent, row]));
}

/** The existing campaigns among the ids, with their real sendings, by id. */
async function findCampaigns(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownCampaign>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownCampaign>(sql`
    select c.id as "idCampaign", c.name, max(s.started_at) as "lastSentAt",
      coalesce(array_agg(s.id order by s.id) filter (where s.id is not null), '{}') as "idsSent"
    from ${db.t.known_campaign} c
      left join ${db.t.known_sent} s on s.id_campaign = c.id and not s.is_test
    where c.id = any(${ids}::int[])
    group by c.id, c.name`);
  return new Map(rows.map((row) => [row.idCampaign, row]));
}
