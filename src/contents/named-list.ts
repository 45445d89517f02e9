import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { Line, Paging, Query, type Static, Type } from '../platform/http/schema.ts';

/** The query of lists of short records with a name: thematics, advertisers, affiliation platforms. */
export const NamedListQuery = () =>
  Query({
    'filter.name': Type.Optional(Line(255, 'Part of the name, ignoring case and accents')),
    ...Paging(['Name', 'Id']),
  });
type NamedListQuery = Static<ReturnType<typeof NamedListQuery>>;

export interface NamedPage<T> {
  readonly totalCount: number;
  readonly count: number;
  readonly items: T[];
  readonly start: number;
}

/**
 * One page of a table whose rows have an id and a name. Its time grows with the table.
 * @param columns of each item
 */
export async function listNamed<T extends object>(
  db: SiteDb,
  { table, columns }: { readonly table: Sql; readonly columns: Sql },
  query: NamedListQuery,
): Promise<NamedPage<T>> {
  const name = query['filter.name'];
  const condition = name ? sql`strpos(facteur.fold(name), facteur.fold(${name})) > 0` : sql`true`;
  const direction = query['filter.order'] === 'DESC' ? sql`desc` : sql`asc`;
  const order = join(
    [
      ...(query['filter.sortBy'] === 'Name' ? [sql`facteur.fold(name) ${direction}`] : []),
      sql`id ${direction}`,
    ],
    ', ',
  );
  const start = query['filter.start'] ?? 0;
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from ${table} where ${condition}`,
  );
  const items = await db.rows<T & Record<string, unknown>>(sql`
    select ${columns} from ${table} where ${condition}
    order by ${order} limit ${query['filter.limit'] ?? 50} offset ${start}`);
  return { totalCount: total, count: items.length, items, start };
}
