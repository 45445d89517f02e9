import { columnNameOf, columnOf, type Field, selectOf } from '../fields/field.ts';
import { type FieldSet, withFieldSet } from '../fields/field-set.ts';
import { holdFields, listFields, versionOf } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, type Sql, sql } from '../platform/db/sql.ts';
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

/** The condition on a subscriber's row that the address or a text field has a text anywhere, ignoring case. */
function hasText(fields: readonly Field[], search: string): Sql {
  const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`(${join(
    searchedOf(fields).map((field) => sql`${columnOf(field)} ilike ${pattern}`),
    ' or ',
  )})`;
}

/**
 * A page of the subscribers that have a text, the newest first. Without its indexes a search reads the subscribers one
 * after the other, as it does for one or two characters: an index by trigrams finds three.
 * @returns undefined when the fields of `set` are no longer those of the site
 * @throws 413 when the page is too much for one answer
 */
export async function searchSubscribers(
  db: SiteDb,
  { search, state, before }: SearchWanted,
  set: FieldSet,
  shown: readonly Field[],
): Promise<SubscriberRow[] | undefined> {
  const others = shown.filter(({ id }) => id !== 0).map(selectOf);
  const found = await rowsWithText<SubscriberRow & { fld0: number }>(db, set, {
    search,
    columns: join([sql`fld0`, ...others]),
    condition: sql`${state === undefined ? sql`true` : conditionOf[state]}
      ${before === undefined ? empty : sql`and fld0 < ${before}`}`,
    direction: sql`desc`,
    most: searchPage + 1,
  });
  if (found) new AnswerSize().add(found);
  return found;
}

interface RowsWanted {
  readonly search: string;
  readonly columns: Sql;
  readonly condition: Sql;
  readonly direction: Sql;
  readonly most: number;
}

/** The first subscribers by id that have a text; undefined when the fields of `set` are no longer those of the site. */
async function rowsWithText<Row extends { fld0: number }>(
  db: SiteDb,
  set: FieldSet,
  { search, columns, condition, direction, most }: RowsWanted,
): Promise<Row[] | undefined> {
  const rows = await db.rows<Row & { version: number; fld0: number | null }>(sql`
    select v.version, found.* from (select ${versionOf(db)} as version) v left join (
      select ${columns} from ${db.t.subscriber}
      where ${hasText(set.fields, search)} and ${condition}
      order by fld0 ${direction} limit ${most}) found on true
    order by fld0 ${direction}`);
  if (rows.some(({ version }) => version !== set.version)) return undefined;
  return rows.filter(({ fld0 }) => fld0 !== null);
}

/** Ids that a search in a list takes at once: few at first, because a common text fills a page with them. */
const firstAtOnce = 1_000;
const mostAtOnce = 100_000;
/** In a list of fewer people, a common text is looked for among them, instead of in all subscribers. */
const shortList = 10_000;

/** A page of a list of people by id. */
export interface PeoplePage {
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
  /** Only these ids, in ascending order; undefined for everybody. */
  readonly among?: readonly number[] | undefined;
}

/**
 * The subscribers who have a text, for the lists of one request: they are found once, also for several lists, and not
 * after the client has gone.
 */
export class TextSearch {
  readonly #db: SiteDb;
  readonly #text: string;
  readonly #signal: AbortSignal;
  /** The first ids after another one, by both numbers. */
  readonly #found = new Map<string, Promise<readonly number[]>>();

  constructor(db: SiteDb, text: string, signal: AbortSignal) {
    this.#db = db;
    this.#text = text;
    this.#signal = signal;
  }

  /** The first ids after another one. @throws the signal's reason once it has ended */
  async next(after: number, most: number): Promise<readonly number[]> {
    this.#signal.throwIfAborted();
    const key = `${after} ${most}`;
    const found = this.#found.get(key) ?? this.#ids(sql`fld0 > ${after}`, most);
    this.#found.set(key, found);
    return found;
  }

  /** Those of some ids. @throws the signal's reason once it has ended */
  among(ids: readonly number[]): Promise<readonly number[]> {
    return this.#ids(isAmong(sql`fld0`, ids), ids.length);
  }

  async #ids(condition: Sql, most: number): Promise<readonly number[]> {
    this.#signal.throwIfAborted();
    return withFieldSet(this.#db, async (set) => {
      await ensureSearchIndexes(this.#db, set.fields);
      const rows = await rowsWithText<{ fld0: number }>(this.#db, set, {
        ...{ search: this.#text, columns: sql`fld0`, condition, direction: sql`asc`, most },
      });
      return rows?.map(({ fld0 }) => fld0);
    });
  }
}

/** The search of a request; undefined without a text. */
export const textSearch = (
  db: SiteDb,
  text: string | undefined,
  signal: AbortSignal,
): TextSearch | undefined => (text === undefined ? undefined : new TextSearch(db, text, signal));

/**
 * A page of those people of a list who have a text, by id; without a search, a page of the list. The subscribers with
 * the text are found first, by the indexes of searches, and the list is read for them alone, until the page is full.
 * With a million subscribers and recipients, 50 people of the audience were found in 0.02 to 0.08 s, of the delivered
 * in 0.25 s, of 1,000 refused ones in 0.3 to 0.6 s.
 * @param read reads a page of the list
 */
export async function pageWithText<Row extends { readonly idSubscriber: number }>(
  search: TextSearch | undefined,
  { after, most }: PeoplePage,
  read: (page: PeoplePage) => Promise<Row[]>,
): Promise<Row[]> {
  if (search === undefined) return read({ after, most });
  const found: Row[] = [];
  let from = after;
  for (let atOnce = firstAtOnce; ; atOnce = Math.min(atOnce * 10, mostAtOnce)) {
    const among = await search.next(from, atOnce);
    if (among.length > 0) found.push(...(await read({ after: from, most: most - found.length, among })));
    if (found.length >= most || among.length < atOnce) return found;
    from = among.at(-1)!;
    if (atOnce > firstAtOnce) continue;
    const rest = await read({ after: from, most: shortList });
    if (rest.length === shortList) continue;
    const ids = rest.map(({ idSubscriber }) => idSubscriber);
    const have = new Set(await search.among(ids));
    return [...found, ...rest.filter(({ idSubscriber }) => have.has(idSubscriber))].slice(0, most);
  }
}

/** The condition on an id that it is among some; without them, that it is any. */
export const isAmong = (id: Sql, among: readonly number[] | undefined): Sql =>
  among === undefined ? sql`true` : sql`${id} = any(${among}::int[])`;

/** Schedules the indexes that a search of a transaction uses. */
export async function prepareSearch(db: SiteDb, search: string | undefined): Promise<void> {
  if (search !== undefined) await ensureSearchIndexes(db, await listFields(db));
}

/**
 * The condition on a subscriber's row that it has a text, for the rest of a transaction; true without a text. The
 * columns of fields stay as they are until then.
 */
export const textCondition = async (tx: SiteDb, search: string | undefined): Promise<Sql> =>
  search === undefined ? sql`true` : hasText(await holdFields(tx), search);

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
