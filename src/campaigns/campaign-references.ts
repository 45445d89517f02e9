import { findAdvertiser } from '../contents/advertiser-store.ts';
import { findAffiliation } from '../contents/affiliation-store.ts';
import { checkDirectory } from '../contents/directory-store.ts';
import { findConfiguration } from '../contents/sending-configuration-store.ts';
import { findThematic } from '../contents/thematic-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { findTarget } from '../targets/target-store.ts';
import type { CampaignValues } from './campaign.ts';
import { findCampaign } from './campaign-store.ts';
import { isTemplate, notDynamic } from './campaign-template.ts';

/**
 * Checks that the records which a campaign names exist.
 * @throws 404 that names the member, 422 for a target or directory of another kind and a template that is not Dynamic
 */
export async function checkReferences(tx: SiteDb, campaign: CampaignValues): Promise<void> {
  const { parameters, idDirectory, autoHostPicturesIdDirectory, idCampDynamic } = campaign;
  const { idConfiguration, idThematic } = parameters;
  if (idConfiguration !== null && !(await findConfiguration(tx, idConfiguration)))
    throw notFound('Sending configuration', 'parameters.idConfiguration');
  if (idThematic !== null && !(await findThematic(tx, idThematic)))
    throw notFound('Thematic', 'parameters.idThematic');
  await checkDirectory(tx, 'campaign', 'idDirectory', idDirectory);
  await checkDirectory(tx, 'picture', 'autoHostPicturesIdDirectory', autoHostPicturesIdDirectory);
  if (idCampDynamic !== null) await checkTemplate(tx, idCampDynamic);
  const { idCommonAffiliatePlatform, idCommonAdvertiser } = parameters;
  if (idCommonAffiliatePlatform !== null && !(await findAffiliation(tx, idCommonAffiliatePlatform)))
    throw notFound('Affiliation', 'parameters.idCommonAffiliatePlatform');
  if (idCommonAdvertiser !== null && !(await findAdvertiser(tx, idCommonAdvertiser)))
    throw notFound('Advertiser', 'parameters.idCommonAdvertiser');
  if (parameters.idTestTarget === null) return;
  const target = await checkTarget(tx, parameters.idTestTarget, 'parameters.idTestTarget');
  if (!target.parameters.isTestTarget) {
    throw refused(`parameters.idTestTarget: target ${target.id} is not a test target`);
  }
}

async function checkTemplate(tx: SiteDb, idCampDynamic: number): Promise<void> {
  const template = await findCampaign(tx, idCampDynamic);
  if (!template) throw notFound('Campaign', 'idCampDynamic');
  if (!isTemplate(template)) throw refused(notDynamic(template));
}

/** The target that a member of a body names. @throws 404 that names the member */
export async function checkTarget(tx: SiteDb, idTarget: number, member: string) {
  const target = await findTarget(tx, idTarget);
  if (!target) throw notFound('Target', member);
  return target;
}
