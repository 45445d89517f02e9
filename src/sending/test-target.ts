import type { Campaign } from '../campaigns/campaign.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { refused } from '../platform/http/refusal.ts';
import { findTarget } from '../targets/target-store.ts';

/**
 * The target that gets a campaign's test mailings. Looked at when one is requested and again when it is generated:
 * between the two a target may become one of real readers.
 * @throws 422 when there is none, or it is no test target
 */
export async function testTargetOf(tx: SiteDb, { parameters: { idTestTarget } }: Campaign): Promise<number> {
  const target = idTestTarget === null ? undefined : await findTarget(tx, idTestTarget);
  if (!target) throw refused('The campaign has no test target');
  if (!target.parameters.isTestTarget) throw refused(`Target ${target.id} is not a test target`);
  return target.id;
}
