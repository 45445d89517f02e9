import { makeAdvertisement, type NewAdvertisement } from '../contents/advertisement.ts';
import { insertAdvertisement } from '../contents/advertisement-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** An advertisement; its id. */
export async function makeAd(
  db: SiteDb,
  html: string,
  more: Partial<NewAdvertisement> = {},
): Promise<number> {
  const values = makeAdvertisement({ name: 'Ad', html, ...more });
  return (await insertAdvertisement(db, values, 1, new Date('2026-11-19T09:00:00Z'))).id;
}

/** A tracked link, of the id given, of an advertisement about these thematics, in some campaign. */
export async function makeAdvertisementLink(
  db: SiteDb,
  id: number,
  idsThematic: readonly number[],
): Promise<void> {
  await db.run(sql`
    with made as (
      insert into ${db.t.advertisement} (id_user, name, html, ids_thematic, created_at, updated_at)
      values (1, 'Ad', '', ${idsThematic}::int[], now(), now()) returning id)
    insert into ${db.t.tracked_link}
      (id, id_campaign, url, parsed_url, origin, id_advertisement, parameters, created_at) overriding system value
    select ${id}::bigint, (select min(id) from ${db.t.campaign}), 'https://a.example/' || ${id}::text, '',
      'advertisement', made.id, '{}', now()
    from made`);
}
