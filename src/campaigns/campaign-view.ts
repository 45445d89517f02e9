import type { SiteDb } from '../platform/db/site-db.ts';
import { type CampaignReply, type ListedCampaign, showCampaign } from './campaign.ts';
import { getCampaign } from './campaign-store.ts';
import { unsafeTargetsOf } from './campaign-targets.ts';

/** The campaign of an id as the API shows it. @throws 404 */
export async function showById(db: SiteDb, id: number): Promise<CampaignReply> {
  return (await showAll(db, [await getCampaign(db, id)]))[0]!;
}

/** Campaigns as the API shows them, in the same order. */
export async function showAll(db: SiteDb, campaigns: readonly ListedCampaign[]): Promise<CampaignReply[]> {
  const unsafe = await unsafeTargetsOf(
    db,
    campaigns.map((campaign) => campaign.id),
  );
  return campaigns.map((campaign) => showCampaign(campaign, unsafe.get(campaign.id) ?? []));
}
