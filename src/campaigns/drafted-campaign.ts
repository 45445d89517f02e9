import { configurations } from '../contents/sending-configuration-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Campaign } from './campaign.ts';
import { getCampaign } from './campaign-store.ts';
import { type Draft, withDraft } from './draft.ts';

/** A campaign as it would be with a draft. @throws 404 for an unknown campaign or configuration */
export async function draftedCampaign(db: SiteDb, id: number, draft: Draft): Promise<Campaign> {
  const campaign = await getCampaign(db, id);
  const { idConfiguration } = draft;
  if (idConfiguration) await configurations.get(db, idConfiguration, 'idConfiguration');
  return withDraft(campaign, draft);
}
