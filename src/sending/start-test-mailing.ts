import type { Campaign } from '../campaigns/campaign.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import { checkSendable, checkTestable } from '../campaigns/sendable.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { startJob } from './start-job.ts';
import { testTargetOf } from './test-target.ts';

/**
 * Starts a test mailing (BAT) of a campaign to its test target: on one segment, or on all that are not excluded.
 * It goes out at once, whatever the campaign's state, and counts as a test only.
 * @throws 422 when there is no test target, or the campaign is not complete enough to make a message
 */
export async function startTestMailing(
  tx: SiteDb,
  campaign: Campaign,
  idSegment: number | undefined,
  author: string,
  at: Date,
): Promise<void> {
  checkSendable(campaign);
  await testTargetOf(tx, campaign);
  const readiness = await readinessOf(tx, campaign);
  checkTestable(readiness);
  const segment = idSegment === undefined ? {} : { idSegment };
  await startJob(tx, { campaign: readiness.asSent, isTest: true, ...segment, scheduledAt: at, author }, at);
}
