import { findDirectory } from '../contents/directory-store.ts';
import { getConfiguration } from '../contents/sending-configuration-store.ts';
import { findThematic } from '../contents/thematic-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { findTarget } from '../targets/target-store.ts';
import type { CampaignValues } from './campaign.ts';
import { getCampaign } from './campaign-store.ts';

/**
 * Checks that the records which a campaign names exist.
 * @throws 404 that says which kind does not, 422 for a target that is not one of tests
 */
export async function checkReferences(tx: SiteDb, campaign: CampaignValues): Promise<void> {
  const { parameters, idDirectory, autoHostPicturesIdDirectory, idCampDynamic } = campaign;
  const { idConfiguration, idThematic } = parameters;
  if (idConfiguration !== null) await getConfiguration(tx, idConfiguration);
  if (idThematic !== null && !(await findThematic(tx, idThematic))) throw notFound('Thematic');
  for (const id of [idDirectory, autoHostPicturesIdDirectory]) {
    if (id !== null && !(await findDirectory(tx, id))) throw notFound('Directory');
  }
  if (idCampDynamic !== null) await getCampaign(tx, idCampDynamic);
  // There are no affiliation platforms and advertisers yet.
  if (parameters.idCommonAffiliatePlatform !== null) throw notFound('Affiliation');
  if (parameters.idCommonAdvertiser !== null) throw notFound('Advertiser');
  if (parameters.idTestTarget === null) return;
  const target = await checkTarget(tx, parameters.idTestTarget);
  if (!target.parameters.isTestTarget) {
    throw refused(`parameters.idTestTarget: target ${target.id} is not a test target`);
  }
}

/** The target that a segment names. @throws 404 */
export async function checkTarget(tx: SiteDb, idTarget: number) {
  const target = await findTarget(tx, idTarget);
  if (!target) throw notFound('Target');
  return target;
}
