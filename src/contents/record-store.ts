import type { SiteDb, SiteTable } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { found } from '../platform/http/refusal.ts';
import {
  Line,
  Paging,
  pageOf,
  pageRange,
  Query,
  type Static,
  type TSchema,
  Type,
} from '../platform/http/schema.ts';

/** The query of lists of records by name. */
export const NamedListQuery = () =>
  Query({
    'filter.name': Type.Optional(Line(255, 'Part of the name, ignoring case and accents')),
    ...Paging(['Name', 'Id']),
  });

/** The records of one kind in a table of the site whose rows have an id and a name. */
export class RecordStore<T extends object> {
  readonly #table: SiteTable;
  readonly #thing: string;
  readonly #columnOf: Readonly<Record<keyof T, string>>;
  /** The select list of a record. */
  readonly columns: Sql;

  /**
   * @param thing the name of the records in refusals
   * @param properties of a record, as in its schema; a column is named like its property, in snake case
   * @param exceptions the columns with other names
   */
  constructor(
    table: SiteTable,
    thing: string,
    properties: Readonly<Record<keyof T, TSchema>>,
    exceptions: { readonly [K in keyof T]?: string } = {},
  ) {
    this.#table = table;
    this.#thing = thing;
    const columns = Object.keys(properties).map((name) => [name, snakeCase(name)]);
    // Object.keys loses the names that the type knows.
    this.#columnOf = { ...Object.fromEntries(columns), ...exceptions } as Record<keyof T, string>;
    const selected = Object.entries<string>(this.#columnOf).map(([name, column]) => `${column} as "${name}"`);
    this.columns = raw(selected.join(', '));
  }

  find(db: SiteDb, id: number): Promise<T | undefined> {
    return db.first<T>(sql`select ${this.columns} from ${db.t[this.#table]} where id = ${id}`);
  }

  /** @throws 404 that names the property of a body that has the id, if there is one */
  async get(db: SiteDb, id: number, member?: string): Promise<T> {
    return found(await this.find(db, id), this.#thing, member);
  }

  /** Gets a record and locks its row until the transaction ends. @throws 404 */
  async lock(tx: SiteDb, id: number): Promise<T> {
    const row = await tx.first<T>(sql`
      select ${this.columns} from ${tx.t[this.#table]} where id = ${id} for update`);
    return found(row, this.#thing);
  }

  insert(db: SiteDb, values: Partial<T>): Promise<T> {
    const names = this.#namesIn(values);
    return db.one<T>(sql`
      insert into ${db.t[this.#table]} (${join(names.map((name) => raw(this.#columnOf[name])))})
      values (${join(names.map((name) => values[name]))})
      returning ${this.columns}`);
  }

  /** Changes the given properties of a record. @throws 404 */
  async update(db: SiteDb, id: number, values: Partial<T>): Promise<T> {
    const names = this.#namesIn(values);
    if (names.length === 0) return this.get(db, id);
    const changes = names.map((name) => sql`${raw(this.#columnOf[name])} = ${values[name]}`);
    const row = await db.first<T>(sql`
      update ${db.t[this.#table]} set ${join(changes)} where id = ${id} returning ${this.columns}`);
    return found(row, this.#thing);
  }

  /** Changes the properties of a record that are given and not null. @throws 404 */
  merge(db: SiteDb, id: number, change: { readonly [K in keyof T]?: T[K] | null }): Promise<T> {
    const given = Object.entries(change).filter(([, value]) => value !== null);
    return this.update(db, id, Object.fromEntries(given) as Partial<T>);
  }

  /** One page by name or id. Its time grows with the table. */
  async list(db: SiteDb, query: Static<ReturnType<typeof NamedListQuery>>) {
    const name = query['filter.name'];
    const condition = name ? sql`strpos(facteur.fold(name), facteur.fold(${name})) > 0` : sql`true`;
    const { start, limit, sortBy, isDescending } = pageRange(query);
    const direction = isDescending ? sql`desc` : sql`asc`;
    const byName = sortBy === 'Name' ? sql`facteur.fold(name) ${direction}, ` : empty;
    const from = sql`from ${db.t[this.#table]} where ${condition}`;
    const total = await db.value<number>(sql`select count(*) as total ${from}`);
    const items = await db.rows<T>(sql`
      select ${this.columns} ${from} order by ${byName}id ${direction} limit ${limit} offset ${start}`);
    return pageOf(items, total, start);
  }

  #namesIn(values: Partial<T>): (keyof T)[] {
    // Object.keys loses the names that the type knows.
    const names = Object.keys(this.#columnOf) as (keyof T)[];
    return names.filter((name) => this.#columnOf[name] !== 'id' && values[name] !== undefined);
  }
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
