import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { findTarget } from '../targets/target-store.ts';
import type { CampaignValues } from './campaign.ts';

/**
 * Checks that the records which a campaign names exist.
 * @throws 404 that says which kind does not, 422 for a target that is not one of tests
 */
export async function checkReferences(tx: SiteDb, campaign: CampaignValues): Promise<void> {
  const { parameters, idDirectory, autoHostPicturesIdDirectory, idCampDynamic } = campaign;
  await checkExists(tx, 'Sending configuration', tx.t.sending_configuration, parameters.idConfiguration);
  await checkExists(tx, 'Thematic', tx.t.thematic, parameters.idThematic);
  await checkExists(tx, 'Directory', tx.t.directory, idDirectory);
  await checkExists(tx, 'Directory', tx.t.directory, autoHostPicturesIdDirectory);
  await checkExists(tx, 'Campaign', tx.t.campaign, idCampDynamic);
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

async function checkExists(tx: SiteDb, thing: string, table: Sql, id: number | null): Promise<void> {
  if (id === null) return;
  if ((await tx.rows(sql`select from ${table} where id = ${id}`)).length === 0) throw notFound(thing);
}
