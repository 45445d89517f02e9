import { assign } from '../campaigns/placement-store.ts';
import { makeAdvertisement, type NewAdvertisement } from '../contents/advertisement.ts';
import { insertAdvertisement } from '../contents/advertisement-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { makeCampaign, makeSegment, makeTarget } from './campaign-makers.ts';

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

/** A campaign of ten segments whose messages have more links together than a campaign may have; its id. */
export async function makeCampaignOfTooManyLinks(db: SiteDb): Promise<number> {
  const idCampaign = await makeCampaign(db, { htmlContent: '[[ENCART.1]]' });
  const idTarget = await makeTarget(db);
  const segments: number[] = [];
  for (let n = 0; n < 10; n++) segments.push(await makeSegment(db, idCampaign, { idTarget }));
  const links = Array.from({ length: 2_501 }, (_, n) => `<a href="https://a.fr/${n}">${n}</a>`);
  const idAdvertisement = await makeAd(db, links.join(''));
  const shown = { idAdvertisement, name: null, html: null };
  await db.transaction((tx) => assign(tx, idCampaign, segments, [1], shown));
  return idCampaign;
}
