import type { SiteDb, SiteTable } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { PageRange } from '../platform/http/schema.ts';

/** A part of keys, ignoring case and accents, and the order and range of a page. */
export interface KeyFilter<S extends string> extends PageRange<S> {
  readonly name?: string | undefined;
}

/** A page of a list, and the number of items on all pages. */
export interface KeyPage<T> {
  readonly totalCount: number;
  readonly items: T[];
}

interface KeyedTable {
  /** A table whose rows have a key, unique in its folded form. */
  readonly table: SiteTable;
  readonly columns: Sql;
  readonly order: Sql;
}

/** One page of a table by key. Ties are in the order of their keys. */
export async function listByKey<T extends object>(
  db: SiteDb,
  { name, start, limit, isDescending }: KeyFilter<string>,
  { table, columns, order }: KeyedTable,
): Promise<KeyPage<T>> {
  const direction = isDescending ? sql`desc` : sql`asc`;
  const condition = name ? sql`strpos(facteur.fold(key), facteur.fold(${name})) > 0` : sql`true`;
  const from = sql`from ${db.t[table]} where ${condition}`;
  const totalCount = await db.value<number>(sql`select count(*) as total ${from}`);
  const items = await db.rows<T>(sql`
    select ${columns} ${from} order by ${order} ${direction}, folded_key ${direction}
    limit ${limit} offset ${start}`);
  return { totalCount, items };
}
