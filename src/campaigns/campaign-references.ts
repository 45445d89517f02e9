import { advertisers } from '../contents/advertiser-store.ts';
import { affiliations } from '../contents/affiliation-store.ts';
import { checkDirectory } from '../contents/directory-store.ts';
import { configurations } from '../contents/sending-configuration-store.ts';
import { thematics } from '../contents/thematic-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { found, refused } from '../platform/http/refusal.ts';
import { findTarget, keepTargets } from '../targets/target-store.ts';
import type { CampaignValues } from './campaign.ts';
import { isTemplate, notDynamic } from './campaign-rules.ts';
import { findCampaign } from './campaign-store.ts';

/**
 * Checks that the records exist that a campaign names and did not name `before`. An old reference may have been
 * deleted, or may no longer be a test target; that must not prevent other changes. A sending checks what it needs.
 * @throws 404 that names the property, 422 for a target or directory of another kind and a template that is not Dynamic
 */
export async function checkReferences(
  tx: SiteDb,
  campaign: CampaignValues,
  before: CampaignValues,
): Promise<void> {
  const [given, known] = [referencesOf(campaign), referencesOf(before)];
  const isNew = (name: keyof typeof given) => given[name] !== null && given[name] !== known[name];
  if (isNew('idConfiguration'))
    await configurations.get(tx, given.idConfiguration!, 'parameters.idConfiguration');
  if (isNew('idThematic')) await thematics.get(tx, given.idThematic!, 'parameters.idThematic');
  if (isNew('idDirectory')) await checkDirectory(tx, 'campaign', 'idDirectory', given.idDirectory);
  if (isNew('autoHostPicturesIdDirectory'))
    await checkDirectory(tx, 'picture', 'autoHostPicturesIdDirectory', given.autoHostPicturesIdDirectory);
  if (isNew('idCampDynamic')) await checkTemplate(tx, given.idCampDynamic!);
  const { idCommonAffiliatePlatform: idAffiliation, idCommonAdvertiser: idAdvertiser } = given;
  if (isNew('idCommonAffiliatePlatform'))
    await affiliations.get(tx, idAffiliation!, 'parameters.idCommonAffiliatePlatform');
  if (isNew('idCommonAdvertiser')) await advertisers.get(tx, idAdvertiser!, 'parameters.idCommonAdvertiser');
  if (!isNew('idTestTarget')) return;
  const target = await checkTarget(tx, given.idTestTarget!, 'parameters.idTestTarget');
  if (!target.parameters.isTestTarget) {
    throw refused(`parameters.idTestTarget: target ${target.id} is not a test target`);
  }
}

/** The ids of other records that a campaign names. */
const referencesOf = ({ parameters, ...campaign }: CampaignValues) => ({ ...parameters, ...campaign });

async function checkTemplate(tx: SiteDb, idCampDynamic: number): Promise<void> {
  const template = found(await findCampaign(tx, idCampDynamic), 'Campaign', 'idCampDynamic');
  if (!isTemplate(template)) throw refused(notDynamic(template));
}

/** The target that a property names, which stays until the transaction ends. @throws 404 that names the property */
export async function checkTarget(tx: SiteDb, idTarget: number, member: string) {
  await keepTargets(tx, [idTarget]);
  return found(await findTarget(tx, idTarget), 'Target', member);
}
