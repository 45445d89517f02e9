import type { Campaign } from '../campaigns/campaign.ts';
import { getCampaign, lockCampaign } from '../campaigns/campaign-store.ts';
import { segmentTargetFaults } from '../campaigns/readiness.ts';
import { type Schedule, scheduleAfter } from '../campaigns/schedule.ts';
import { checkMove, checkSchedulable } from '../campaigns/schedule-state.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import { jobBegunFor, plannedJob } from './job-store.ts';
import { checkOneshot } from './send-again.ts';
import { startRealJob } from './start-real-job.ts';
import { stopJob } from './stop-jobs.ts';

/** The request that schedules a campaign. */
export interface Scheduling {
  readonly app: App;
  readonly db: SiteDb;
  readonly caller: { readonly userName: string };
  readonly now: Date;
}

/**
 * Gives a campaign a schedule, in place of the one for which it waits: the first date becomes a job, and the end of
 * each job makes that of the next date (`tryMoveJob`).
 * @throws 404, 409 for a campaign that cannot be scheduled now, or was begun for one of the dates, 422 that names all
 *   that keeps it from being sent, 503 when that cannot be checked now
 */
export async function scheduleSending(
  { app, db, caller, now }: Scheduling,
  idCampaign: number,
  schedule: Schedule,
): Promise<void> {
  const seen = await getCampaign(db, idCampaign);
  checkSchedulable(seen.scheduleState, seen.scheduleType);
  // Before the campaign is locked, as it may take seconds; generation judges what changes in between.
  const faults = await segmentTargetFaults(app, db, idCampaign, now);
  await db.transaction(async (tx) => {
    const campaign = await lockCampaign(tx, idCampaign);
    checkSchedulable(campaign.scheduleState, campaign.scheduleType);
    await checkDates(tx, campaign, schedule);
    await stopWaiting(tx, campaign, now, 'Programmed');
    await startRealJob(app, tx, campaign, { faults, author: caller.userName, at: now, schedule });
  });
}

/** Takes the schedule of a campaign back that waits for a date. @throws 404, 409 that names both states */
export async function takeScheduleBack({ db, now }: Scheduling, idCampaign: number): Promise<void> {
  await db.transaction(async (tx) => {
    const campaign = await lockCampaign(tx, idCampaign);
    checkMove(campaign.scheduleState, 'None');
    checkSchedulable(campaign.scheduleState, campaign.scheduleType);
    await stopWaiting(tx, campaign, now, 'None');
  });
}

async function checkDates(tx: SiteDb, campaign: Campaign, schedule: Schedule): Promise<void> {
  await checkOneshot(tx, campaign);
  if (campaign.parameters.isOneshot && scheduleAfter(schedule, schedule.dates[0]!))
    throw refused(
      'The campaign is one-shot (isOneshot): it is sent once; give one date, or set isOneshot to false',
    );
  // So a call that comes twice mails nobody twice, even if the first has ended when the second comes.
  const begun = await jobBegunFor(tx, campaign.id, schedule.dates);
  if (begun)
    throw conflict(
      `The campaign has been begun for ${begun.scheduledAt.toISOString()} (job ${begun.id}); give a later date`,
    );
}

/** Stops the job that waits for its date. */
async function stopWaiting(
  tx: SiteDb,
  campaign: Campaign,
  at: Date,
  to: 'Programmed' | 'None',
): Promise<void> {
  if (campaign.scheduleState !== 'Programmed') return;
  const errorInfo = 'Its date was taken back';
  await stopJob(tx, await plannedJob(tx, campaign.id), { endedAt: at, errorInfo, campaignState: to });
}
