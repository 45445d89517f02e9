import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/** Kinds of objects that users keep as favourites, named as their tables. */
export type FavouriteKind = 'target' | 'sending_configuration' | 'picture';

/** Makes an object a user's favourite, or no longer. */
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

/** A condition: is the object whose id the fragment `idObject` gives one of the user's favourites? */
export function isFavouriteOf(db: SiteDb, idUser: number, kind: FavouriteKind, idObject: Sql): Sql {
  return sql`exists (
    select from ${db.t.favourite} f where f.id_user = ${idUser} and f.kind = ${kind} and f.id_object = ${idObject})`;
}

/** Makes an object nobody's favourite, because it is deleted. */
export async function dropFavourites(db: SiteDb, kind: FavouriteKind, idObject: number): Promise<void> {
  await db.run(sql`delete from ${db.t.favourite} where kind = ${kind} and id_object = ${idObject}`);
}
