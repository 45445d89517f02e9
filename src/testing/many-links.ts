import { assign } from '../campaigns/placement-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { makeCampaign, makeSegment, makeTarget } from './campaign-makers.ts';
import { makeAd } from './make-advertisement.ts';

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
