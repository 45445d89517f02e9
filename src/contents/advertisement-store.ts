import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, sql } from '../platform/db/sql.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import {
  Advertisement,
  type AdvertisementValues,
  maxAdvertisementBytes,
  maxAdvertisements,
} from './advertisement.ts';
import { advertisers } from './advertiser-store.ts';
import { affiliations } from './affiliation-store.ts';
import { standsIn } from './object-directory-store.ts';
import { RecordStore } from './record-store.ts';
import { thematicNames } from './thematic-store.ts';

export const advertisements = new RecordStore<Advertisement>(
  'advertisement',
  'Advertisement',
  Advertisement.properties,
  { creationDate: 'created_at', updateDate: 'updated_at' },
);

export const sortedAdvertisement = {
  kind: 'advertisement',
  name: 'Advertisement',
  noun: 'an advertisement',
  path: '/advertisements',
  param: 'idAdvertisement',
  record: 'advertisement',
  lock: (tx: SiteDb, id: number) => advertisements.lock(tx, id),
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
  return db.rows<Advertisement>(sql`
    select ${advertisements.columns} from ${db.t.advertisement} ${which} order by id`);
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
  return advertisements.insert(db, { ...values, idUser, creationDate: at, updateDate: at });
}

/** Changes an advertisement, its row locked. @throws 404 for it or what it names, 422 if all become too large */
export async function updateAdvertisement(
  db: SiteDb,
  id: number,
  change: (before: AdvertisementValues) => AdvertisementValues,
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await advertisements.lock(tx, id);
    const values = change(before);
    await checkReferences(tx, values);
    if (values.html.length > before.html.length) await checkRoom(tx, values.html, id);
    await advertisements.update(tx, id, { ...values, updateDate: at });
  });
}

async function checkReferences(db: SiteDb, values: AdvertisementValues): Promise<void> {
  const { idAdvertiser, idAffiliation, idsThematic } = values;
  if (idAdvertiser !== null) await advertisers.get(db, idAdvertiser, 'idAdvertiser');
  if (idAffiliation !== null) await affiliations.get(db, idAffiliation, 'idAffiliation');
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
