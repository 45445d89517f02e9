import { columnNameOf, columnOf, type Field, selectOf } from '../fields/field.ts';
import type { FieldSet } from '../fields/field-set.ts';
import { listFields, versionOf } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { addTask, task } from '../platform/tasks.ts';
import { AnswerSize } from './answer-size.ts';
import { buildIndex, indexQueue, validIndexes } from './column-index.ts';
import { mayReceive } from './eligibility.ts';
import type { SubscriberRow } from './subscriber.ts';

/** Subscribers on one page of a search. */
export const searchPage = 50;

/** The domain is a part of the address; the department of France is of two digits. */
const notSearched: ReadonlySet<number> = new Set([37, 42]);
/** Each searched field has an index, which every import pays for. */
const mostSearched = 32;
/** The fields that a search reads: the address and the first text fields. */
const searchedOf = (fields: readonly Field[]): readonly Field[] =>
  fields
    .filter(({ id, fieldType }) => fieldType === 'Text' && !notSearched.has(id))
    .toSorted((a, b) => a.id - b.id)
    .slice(0, mostSearched);
const indexOf = (field: Field): string => `subscriber_search_${columnNameOf(field)}`;

/** States by which a search selects. */
export const searchStates = ['eligible', 'unsubscribed', 'unreachable'] as const;
type SearchState = (typeof searchStates)[number];

const conditionOf: Readonly<Record<SearchState, Sql>> = {
  eligible: mayReceive(),
  unsubscribed: sql`fld7 <> 0`,
  unreachable: sql`fld44 not in (0, 1)`,
};

interface SearchWanted {
  readonly search: string;
  /** Only subscribers in this state; undefined for all. */
  readonly state?: SearchState | undefined;
  /** The id that the page comes before; undefined for the first page. */
  readonly before: number | undefined;
}

/**
 * A page of the subscribers that have a text anywhere in their address or a text field, ignoring case, the newest
 * first. Without its indexes a search reads the subscribers one after the other, as it does for one or two characters:
 * an index by trigrams finds three.
 * @returns undefined when the fields of `set` are no longer those of the site
 * @throws 413 when the page is too much for one answer
 */
export async function searchSubscribers(
  db: SiteDb,
  { search, state, before }: SearchWanted,
  set: FieldSet,
  shown: readonly Field[],
): Promise<SubscriberRow[] | undefined> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const matches = join(
    searchedOf(set.fields).map((field) => sql`${columnOf(field)} ilike ${pattern}`),
    ' or ',
  );
  const others = shown.filter(({ id }) => id !== 0).map(selectOf);
  const rows = await db.rows<{ version: number; fld0: number | null }>(sql`
    select v.version, found.* from (select ${versionOf(db)} as version) v left join (
      select ${join([sql`fld0`, ...others])} from ${db.t.subscriber}
      where (${matches}) ${state === undefined ? sql`` : sql`and ${conditionOf[state]}`}
        ${before === undefined ? sql`` : sql`and fld0 < ${before}`}
      order by fld0 desc limit ${searchPage + 1}) found on true
    order by fld0 desc`);
  if (rows.some(({ version }) => version !== set.version)) return undefined;
  const found = rows.filter(({ fld0 }) => fld0 !== null);
  new AnswerSize().add(found);
  return found;
}

/** Schedules the indexes that a search lacks; sites that never search do not pay for them. */
export async function ensureSearchIndexes(db: SiteDb, fields: readonly Field[]): Promise<void> {
  const valid = await validIndexes(db);
  if (searchedOf(fields).every((field) => valid.has(indexOf(field)))) return;
  const idSite = db.site.id;
  const spec = { jobKey: `search indexes ${idSite}`, queueName: indexQueue(idSite) };
  await addTask(db, buildSearchIndexesTask, { idSite }, spec);
}

/** Builds the indexes that are missing, one after the other, the address first. */
export async function buildSearchIndexes(db: SiteDb): Promise<void> {
  // The extension is in another schema where the database had it before.
  const schema = await db.value<string>(sql`
    select quote_ident(n.nspname) as schema
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`);
  for (const field of searchedOf(await listFields(db)))
    await buildIndex(db, indexOf(field), `using gin (${columnNameOf(field)} ${schema}.gin_trgm_ops)`);
}

/** Builds the indexes for searches of a site that has begun to search. */
export const buildSearchIndexesTask = task<{ readonly idSite: number }>({
  name: 'buildSearchIndexes',
  async run(app, { idSite }) {
    const db = await app.siteById(idSite);
    if (db) await buildSearchIndexes(db);
  },
});
