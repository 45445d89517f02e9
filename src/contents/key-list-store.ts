import type { SiteDb, SiteTable } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Line, Paging, pageOf, pageRange, Query, Type } from '../platform/http/schema.ts';

/** The query of lists by key. */
export const KeyListQuery = <S extends string>({ sorts }: Pick<KeyList<object, S>, 'sorts'>) =>
  Query({
    'filter.name': Type.Optional(Line(255, 'Part of the key, ignoring case and accents')),
    ...Paging(sorts),
  });

interface KeyQuery<S extends string> extends Readonly<Parameters<typeof pageRange<S>>[0]> {
  readonly 'filter.name'?: string;
}

/** The list of a table whose rows have a key, unique in its folded form. */
export class KeyList<T extends object, S extends string> {
  readonly #table: SiteTable;
  readonly #columns: Sql;
  readonly #orders: Readonly<Record<S, Sql>>;
  /** The names of the orders. */
  readonly sorts: readonly S[];

  /** @param columns the select list of a row @param orders the expression of each order */
  constructor(table: SiteTable, columns: Sql, orders: Readonly<Record<S, Sql>>) {
    this.#table = table;
    this.#columns = columns;
    this.#orders = orders;
    // Object.keys loses the names that the type knows.
    this.sorts = Object.keys(orders) as S[];
  }

  /** One page, and the number of rows on all pages. Ties are in the order of their keys. */
  async page(db: SiteDb, query: KeyQuery<S>) {
    const name = query['filter.name'];
    const { start, limit, sortBy, isDescending } = pageRange(query);
    const direction = isDescending ? sql`desc` : sql`asc`;
    const condition = name ? sql`strpos(facteur.fold(key), facteur.fold(${name})) > 0` : sql`true`;
    const from = sql`from ${db.t[this.#table]} where ${condition}`;
    const totalCount = await db.value<number>(sql`select count(*) as total ${from}`);
    const items = await db.rows<T>(sql`
      select ${this.#columns} ${from} order by ${this.#orders[sortBy]} ${direction}, folded_key ${direction}
      limit ${limit} offset ${start}`);
    return pageOf(items, totalCount, start);
  }
}
