import { directoryNamesOf, isListedAt, type Located } from '../contents/object-directory-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import type { PageRange } from '../platform/http/schema.ts';
import type { TargetListRow, TargetLocation, TargetSort } from './target-list.ts';
import { isSafe } from './target-store.ts';

interface Wanted extends Located<TargetLocation>, Omit<PageRange<TargetSort>, 'limit'> {
  readonly name?: string | undefined;
  /** null: no limit. */
  readonly limit: number | null;
}

// Names are ordered as readers of French expect: é beside e.
const sorts: Record<TargetSort, (db: SiteDb) => Sql> = {
  Name: () => sql`facteur.fold(t.name)`,
  IdTarget: () => sql`t.id`,
  LastUpdateDate: () => sql`t.updated_at`,
  Author: () => sql`facteur.fold(t.author)`,
  IsTestTarget: () => sql`t.is_test_target`,
  IsRandomMode: () => sql`t.is_random_mode`,
  Directories: (db) => sql`facteur.fold(${tagsOf(db)})`,
};

const tagsOf = (db: SiteDb): Sql => directoryNamesOf(db, 'target', sql`t.id`);

/** A page of a list of targets, and the number on all pages. Ties are in the order of their ids. */
export async function listTargetRows(
  db: SiteDb,
  wanted: Wanted,
): Promise<{ totalCount: number; items: TargetListRow[] }> {
  const direction = raw(wanted.isDescending ? 'desc' : 'asc');
  const found = sql`
    from ${db.t.target} t
    where t.deleted_at is null and ${isIn(db, wanted)}
      and strpos(facteur.fold(t.name), facteur.fold(${wanted.name ?? ''})) > 0`;
  // Counted separately, so that a page past the end has the total too.
  const count = await db.value<number>(sql`select count(*) as count ${found}`);
  const order = sql`order by ${sorts[wanted.sortBy](db)} ${direction}, t.id ${direction}`;
  // Tags and filters are looked up for the page's rows only; otherwise PostgreSQL would do it for all.
  const items = await db.rows<TargetListRow>(sql`
    select t.id as "idTarget", t.name, t.author, t.updated_at as "lastUpdateDate", t.is_test_target as "isTestTarget",
      t.pct_select as "pctSelect", t.max_select as "maxSelect", t.is_random_mode as "isRandomMode",
      ${tagsOf(db)} as directories, ${isSafe(db)} as "isSafe"
    from (select t.* ${found} ${order} limit ${wanted.limit}::int offset ${wanted.start}::int) t
    ${order}`);
  return { totalCount: count, items };
}

function isIn(db: SiteDb, wanted: Wanted): Sql {
  const { location, idUser } = wanted;
  if (location && 'name' in location && location.name === 'MyTests')
    return sql`not t.is_archived and t.id_user = ${idUser} and t.is_test_target`;
  return isListedAt(db, wanted, 'target', sql`t`, sql`t.is_archived`);
}
