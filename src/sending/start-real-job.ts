import type { Campaign } from '../campaigns/campaign.ts';
import { lockScheduleState, setScheduleState } from '../campaigns/campaign-store.ts';
import { keepTargetsOf } from '../campaigns/campaign-targets.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import type { Schedule } from '../campaigns/schedule.ts';
import { setSchedule } from '../campaigns/schedule-store.ts';
import { checkReady, checkSendable } from '../campaigns/sendable.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { TargetFault } from '../targets/target-faults.ts';
import { checkReachable } from './reader-address.ts';
import type { Resend } from './resend-store.ts';
import { startJob } from './start-job.ts';

/** A request to send a campaign. */
export interface RealJob {
  /** The result of `segmentTargetFaults`, from before the campaign was locked. */
  readonly faults: readonly TargetFault[];
  readonly author: string;
  readonly at: Date;
  /** Sends to failed recipients of an earlier job only. */
  readonly resend?: Resend;
  /** Left out, the job starts after the installation's delay, so that it can still be stopped. */
  readonly schedule?: Schedule;
}

/**
 * Adds a real job of a campaign, for the first date of its schedule or for now. In the caller's transaction, the
 * campaign locked and its state checked (`checkStart`, `checkSchedulable`).
 * @returns the job's id
 * @throws 422 that names all that keeps the campaign from being sent, 503 when it cannot be checked now
 */
export async function startRealJob(
  app: App,
  tx: SiteDb,
  campaign: Campaign,
  { faults, author, at, resend, schedule }: RealJob,
): Promise<number> {
  checkSendable(campaign);
  await checkReachable(app, tx.site.id);
  // A call that deletes one of them waits, and finds the campaign scheduled; one deleted before is found missing.
  await keepTargetsOf(tx, campaign);
  const readiness = await readinessOf(tx, campaign, faults);
  checkReady(readiness);
  if ((await lockScheduleState(tx, campaign.id)) !== 'Programmed')
    await setScheduleState(tx, campaign.id, 'Programmed');
  await setSchedule(tx, campaign.id, schedule ?? { type: 'Immediate', dates: [], daily: null });
  const scheduledAt = schedule?.dates[0] ?? new Date(at.getTime() + app.config.sendDelayS * 1000);
  const job = { campaign: readiness.asSent, isTest: false, scheduledAt, author, ...(resend && { resend }) };
  return startJob(tx, job, at);
}
