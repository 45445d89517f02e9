import { countTesters } from '../campaigns/audience.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { checkTesters, maxTesters } from '../campaigns/campaign-rules.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import { checkSendable, checkTestable } from '../campaigns/sendable.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { targetFaults } from '../targets/target-faults.ts';
import { startJob } from './start-job.ts';
import { testTargetOf } from './test-target.ts';

/** Who requests a test mailing, of what, and when. */
export interface TestMailing {
  readonly campaign: Campaign;
  /** The only segment to send; omitted: all that are not excluded. */
  readonly idSegment?: number;
  readonly author: string;
  readonly at: Date;
}

/**
 * Starts a test mailing (BAT) of a campaign to its test target: on one segment, or on all that are not excluded. It
 * goes out at once, whatever the campaign's state, and counts as a test only. What is checked here is checked again
 * when it is generated, so nothing has to stall in the meantime.
 * @throws 422 when there is no test target, it selects too many, or the campaign is not complete enough to make a
 * message; as a count of the target
 */
export async function startTestMailing(app: App, db: SiteDb, mailing: TestMailing): Promise<void> {
  const { campaign, idSegment, author, at } = mailing;
  checkSendable(campaign);
  const idTestTarget = await testTargetOf(db, campaign);
  // Whom its segments select gets nothing of it.
  const readiness = await readinessOf(db, campaign, []);
  const faults = await targetFaults(app, db, [idTestTarget], at);
  const wrong = faults.filter(({ refusal }) => refusal.status !== 503);
  checkTestable({ testProblems: [...readiness.testProblems, ...wrong.map(({ problem }) => problem)] });
  checkTesters(await countTesters(app, db, idTestTarget, at, maxTesters + 1));
  const segment = idSegment === undefined ? {} : { idSegment };
  const job = { campaign: readiness.asSent, isTest: true, ...segment, scheduledAt: at, author };
  await db.transaction((tx) => startJob(tx, job, at));
}
