import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/** Kinds of objects that can be favourites, named after their tables. */
export type FavouriteKind = 'target' | 'sending_configuration' | 'picture' | 'campaign';

/** Adds an object to a user's favourites, or removes it. */
export async function setFavourite(
  db: SiteDb,
  idUser: number,
  kind: FavouriteKind,
  idObject: number,
  isFavourite: boolean,
): Promise<void> {
  await db.run(
    isFavourite
      ? sql`insert into ${db.t.favourite} (id_user, kind, id_object) values (${idUser}, ${kind}, ${idObject})
            on conflict do nothing`
      : sql`delete from ${db.t.favourite}
            where id_user = ${idUser} and kind = ${kind} and id_object = ${idObject}`,
  );
}

/** Condition: the object with the id `idObject`, a fragment, is one of the user's favourites. */
export function isFavouriteOf(db: SiteDb, idUser: number, kind: FavouriteKind, idObject: Sql): Sql {
  return sql`exists (
    select from ${db.t.favourite} f where f.id_user = ${idUser} and f.kind = ${kind} and f.id_object = ${idObject})`;
}

/** The ids of a user's favourites of a kind, ascending. */
export async function favouritesOf(db: SiteDb, idUser: number, kind: FavouriteKind): Promise<number[]> {
  return db.values<number>(sql`
    select id_object::int from ${db.t.favourite} where id_user = ${idUser} and kind = ${kind} order by id_object`);
}

/** Removes a deleted object from all favourites. */
export async function dropFavourites(db: SiteDb, kind: FavouriteKind, idObject: number): Promise<void> {
  await db.run(sql`delete from ${db.t.favourite} where kind = ${kind} and id_object = ${idObject}`);
}
