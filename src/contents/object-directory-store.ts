import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Directory, ListLocation, SortedKind } from './directory.ts';
import { checkDirectory } from './directory-store.ts';
import { type FavouriteKind, isFavouriteOf } from './favourite-store.ts';

/** Kinds of objects whose directories are stored here; a link's single directory is with its other parameters. */
export type TaggedKind = Exclude<SortedKind, 'tracked_link'>;

/** Sets the directories of an object whose row is locked. @throws 404, 422 for one whose type is not for these */
export async function setDirectories(
  tx: SiteDb,
  kind: TaggedKind,
  idObject: number,
  ids: readonly number[],
): Promise<void> {
  for (const [index, id] of ids.entries()) await checkDirectory(tx, kind, `[${index}]`, id);
  await replaceDirectories(tx, kind, idObject, ids);
}

/** Sets the directories of an object without checks. */
export async function replaceDirectories(
  tx: SiteDb,
  kind: TaggedKind,
  idObject: number,
  ids: readonly number[],
): Promise<void> {
  await tx.run(sql`
    delete from ${tx.t.object_directory}
    where kind = ${kind} and id_object = ${idObject} and id_directory <> all(${ids}::int[])`);
  await tx.run(sql`
    insert into ${tx.t.object_directory} (kind, id_object, id_directory)
    select ${kind}, ${idObject}, id from unnest(${ids}::int[]) as given(id)
    on conflict do nothing`);
}

/** Sets a single directory of an object, already checked; null removes all. */
export async function setDirectory(
  tx: SiteDb,
  kind: TaggedKind,
  idObject: number,
  idDirectory: number | null,
): Promise<void> {
  await replaceDirectories(tx, kind, idObject, idDirectory === null ? [] : [idDirectory]);
}

/** Condition: the object with the id `idObject`, a fragment, is in a directory. */
export function standsIn(db: SiteDb, idDirectory: number, kind: TaggedKind, idObject: Sql): Sql {
  return sql`exists (
    select from ${db.t.object_directory} o
    where o.kind = ${kind} and o.id_object = ${idObject} and o.id_directory = ${idDirectory})`;
}

/** The location of a list. Without one, everything that is not archived is listed. */
export interface Located<Name extends string> {
  readonly location?: ListLocation<Name> | undefined;
  /** The user whose favourites and objects are listed. */
  readonly idUser: number;
}

/**
 * Condition: the object `row`, an alias, is listed at a location. Names other than Archives, MyCreated and MyFavorites
 * list all that are not archived.
 */
export function isListedAt(
  db: SiteDb,
  { location, idUser }: Located<string>,
  kind: TaggedKind & FavouriteKind,
  row: Sql,
  isArchived: Sql,
): Sql {
  const id = sql`${row}.id`;
  if (location && 'idDirectory' in location)
    return sql`not ${isArchived} and ${standsIn(db, location.idDirectory, kind, id)}`;
  if (location?.name === 'Archives') return isArchived;
  if (location?.name === 'MyCreated') return sql`not ${isArchived} and ${row}.id_user = ${idUser}`;
  if (location?.name === 'MyFavorites')
    return sql`not ${isArchived} and ${isFavouriteOf(db, idUser, kind, id)}`;
  return sql`not ${isArchived}`;
}

/** The directories of an object, by name. */
export async function directoriesOf(db: SiteDb, kind: TaggedKind, idObject: number): Promise<Directory[]> {
  return db.rows<Directory>(sql`
    select d.id, d.name, d.is_system as "isSystem", d.id_parent as "idParent", d.dir_type as "dirType"
    from ${db.t.object_directory} o join ${db.t.directory} d on d.id = o.id_directory
    where o.kind = ${kind} and o.id_object = ${idObject}
    order by facteur.fold(d.name), d.id`);
}

/** The names of the directories of the object with the id `idObject`, a fragment: by name, joined by `, `. */
export const directoryNamesOf = (db: SiteDb, kind: TaggedKind, idObject: Sql): Sql => sql`(
  select coalesce(string_agg(d.name, ', ' order by facteur.fold(d.name), d.id), '')
  from ${db.t.object_directory} o join ${db.t.directory} d on d.id = o.id_directory
  where o.kind = ${kind} and o.id_object = ${idObject})`;
