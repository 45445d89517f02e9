import type { Campaign } from '../campaigns/campaign.ts';
import { getCampaign, lockCampaign } from '../campaigns/campaign-store.ts';
import { segmentTargetFaults } from '../campaigns/readiness.ts';
import { type Schedule, scheduleAfter } from '../campaigns/schedule.ts';
import { checkMove, checkSchedulable } from '../campaigns/schedule-state.ts';
import { refuseWhileHeld } from '../installation/installation-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import {
  addGeneration,
  expiryOfJob,
  jobBegunFor,
  moveJob,
  offerJob,
  plannedJob,
  putJobOff,
} from './job-store.ts';
import { checkOneshot } from './send-checks.ts';
import { startRealJob } from './start-job.ts';
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

/**
 * Takes a paused campaign up where it stood, in the caller's transaction, its row locked: a frozen job continues with
 * the recipients that are left; one that was paused before is generated, not before its time.
 * @throws 409 while sending is held, or when the messages have expired
 */
export async function resumeCampaign(tx: SiteDb, campaign: Campaign, at: Date): Promise<void> {
  await refuseWhileHeld(tx);
  const job = await plannedJob(tx, campaign.id);
  if (job.isFrozen) {
    // Mail programs would put them away unread.
    const expiry = await expiryOfJob(tx, job.id);
    if (expiry && expiry <= at) {
      throw conflict(`The messages have expired (${expiry.toISOString()}); stop the campaign instead`);
    }
    await moveJob(tx, job.id, 'Sending', { triedAt: at });
    await offerJob(tx, job.id);
  } else {
    await moveJob(tx, job.id, 'Programmed');
    // A pause of more than an hour must not make it a missed one; a date of a schedule keeps its time, and is missed.
    if (campaign.calendarDates.length === 0) await putJobOff(tx, job.id, at);
    await addGeneration(tx, job.id, job.scheduledAt > at ? job.scheduledAt : at);
  }
}
