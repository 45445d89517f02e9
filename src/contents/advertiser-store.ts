import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import type { Advertiser, AdvertiserChange } from './advertiser.ts';

export const advertiserColumns: Sql = sql`id, name, sector`;

export async function findAdvertiser(db: SiteDb, id: number): Promise<Advertiser | undefined> {
  return db.first<Advertiser>(sql`select ${advertiserColumns} from ${db.t.advertiser} where id = ${id}`);
}

export async function insertAdvertiser(db: SiteDb, advertiser: Omit<Advertiser, 'id'>): Promise<Advertiser> {
  return db.one<Advertiser>(sql`
    insert into ${db.t.advertiser} (name, sector) values (${advertiser.name}, ${advertiser.sector})
    returning ${advertiserColumns}`);
}

/** Changes the given properties of an advertiser. @throws 404 */
export async function updateAdvertiser(db: SiteDb, { id, name, sector }: AdvertiserChange): Promise<void> {
  const touched = await db.run(sql`
    update ${db.t.advertiser}
    set name = coalesce(${name ?? null}, name), sector = coalesce(${sector ?? null}, sector)
    where id = ${id}`);
  if (touched === 0) throw notFound('Advertiser');
}
