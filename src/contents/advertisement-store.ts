import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import {
  type Advertisement,
  type AdvertisementValues,
  maxAdvertisementBytes,
  maxAdvertisements,
} from './advertisement.ts';
import { findAdvertiser } from './advertiser-store.ts';
import { findAffiliation } from './affiliation-store.ts';
import { standsIn } from './object-directory-store.ts';
import { thematicNames } from './thematic-store.ts';

type Row = Omit<Advertisement, 'creationDate' | 'updateDate'> & {
  readonly creationDate: Date;
  readonly updateDate: Date;
};

const columns: Sql = sql`
  id, name, created_at as "creationDate", updated_at as "updateDate", html, is_archive as "isArchive",
  id_user as "idUser", id_advertiser as "idAdvertiser", id_affiliation as "idAffiliation",
  ids_thematic as "idsThematic"`;

const show = (row: Row): Advertisement => ({
  ...row,
  creationDate: row.creationDate.toISOString(),
  updateDate: row.updateDate.toISOString(),
});

/** The advertisement of an id, archived or not. @throws 404 that names the property of a body, if there is one */
export async function getAdvertisementById(db: SiteDb, id: number, member?: string): Promise<Advertisement> {
  const row = await db.first<Row>(sql`select ${columns} from ${db.t.advertisement} where id = ${id}`);
  if (!row) throw notFound('Advertisement', member);
  return show(row);
}

async function lockAdvertisement(tx: SiteDb, id: number): Promise<void> {
  const row = await tx.first(sql`select from ${tx.t.advertisement} where id = ${id} for update`);
  if (!row) throw notFound('Advertisement');
}

/** Advertisements for the operations that sort them. */
export const sortedAdvertisement = {
  kind: 'advertisement',
  name: 'Advertisement',
  noun: 'an advertisement',
  path: '/advertisements',
  param: 'idAdvertisement',
  record: 'advertisement',
  lock: lockAdvertisement,
} as const;

/** Names and HTML of the existing ones of these advertisements, by id. */
export async function advertisementsOf(
  db: SiteDb,
  ids: readonly number[],
): Promise<Map<number, Pick<Advertisement, 'name' | 'html'>>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<Pick<Advertisement, 'id' | 'name' | 'html'>>(sql`
    select id, name, html from ${db.t.advertisement} where id = any(${ids}::int[])`);
  return new Map(rows.map(({ id, ...rest }) => [id, rest]));
}

/** All advertisements of the site, archived or not, by id; `maxAdvertisementBytes` bounds the reply. */
export async function listAllAdvertisements(db: SiteDb, idDirectory: number): Promise<Advertisement[]> {
  const which = idDirectory > 0 ? sql`where ${standsIn(db, idDirectory, 'advertisement', sql`id`)}` : empty;
  const rows = await db.rows<Row>(sql`select ${columns} from ${db.t.advertisement} ${which} order by id`);
  return rows.map(show);
}

/** Adds an advertisement. @throws 404 for a nonexistent record that it names, 422 if there would be too many */
export async function insertAdvertisement(
  db: SiteDb,
  values: AdvertisementValues,
  idUser: number,
  at: Date,
): Promise<Advertisement> {
  await checkReferences(db, values);
  await checkRoom(db, values.html);
  const { name, html, isArchive, idAdvertiser, idAffiliation, idsThematic } = values;
  const row = await db.one<Row>(sql`
    insert into ${db.t.advertisement}
      (id_user, name, html, is_archive, id_advertiser, id_affiliation, ids_thematic, created_at, updated_at)
    values (${idUser}, ${name}, ${html}, ${isArchive}, ${idAdvertiser}, ${idAffiliation},
      ${idsThematic}::int[], ${at}, ${at})
    returning ${columns}`);
  return show(row);
}

/**
 * Changes an advertisement. Its row is locked, so that no concurrent change is lost.
 * @throws 404 for it or for a record that it names, 422 if the site's advertisements would become too large
 */
export async function updateAdvertisement(
  db: SiteDb,
  id: number,
  change: (before: AdvertisementValues) => AdvertisementValues,
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await tx.first<Row>(sql`
      select ${columns} from ${tx.t.advertisement} where id = ${id} for update`);
    if (!before) throw notFound('Advertisement');
    const values = change(before);
    await checkReferences(tx, values);
    if (values.html.length > before.html.length) await checkRoom(tx, values.html, id);
    await tx.run(sql`
      update ${tx.t.advertisement}
      set name = ${values.name}, html = ${values.html}, is_archive = ${values.isArchive},
        id_advertiser = ${values.idAdvertiser}, id_affiliation = ${values.idAffiliation},
        ids_thematic = ${values.idsThematic}::int[], updated_at = ${at}
      where id = ${id}`);
  });
}

async function checkReferences(db: SiteDb, values: AdvertisementValues): Promise<void> {
  const { idAdvertiser, idAffiliation, idsThematic } = values;
  if (idAdvertiser !== null && !(await findAdvertiser(db, idAdvertiser)))
    throw notFound('Advertiser', 'idAdvertiser');
  if (idAffiliation !== null && !(await findAffiliation(db, idAffiliation)))
    throw notFound('Affiliation', 'idAffiliation');
  if ((await thematicNames(db, idsThematic)).size < idsThematic.length)
    throw notFound('Thematic', 'idsThematic');
}

/** Refuses to exceed the limits. Concurrent calls may exceed them a little: they protect memory only. */
async function checkRoom(db: SiteDb, html: string, idBefore = 0): Promise<void> {
  // Lengths are known without reading the contents.
  const { count, bytes } = await db.one<{ count: number; bytes: number }>(sql`
    select count(*) as count, coalesce(sum(octet_length(html)), 0)::bigint as bytes
    from ${db.t.advertisement} where id <> ${idBefore}`);
  if (count >= maxAdvertisements) throw refused(`A site has at most ${maxAdvertisements} advertisements`);
  if (bytes + Buffer.byteLength(html) > maxAdvertisementBytes)
    throw refused(`html: the advertisements of a site have at most ${maxAdvertisementBytes} bytes in total`);
}
