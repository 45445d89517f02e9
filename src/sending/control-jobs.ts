import { forEachSite } from '../accounts/for-each-site.ts';
import { countTesters } from '../campaigns/audience.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { checkTesters, maxTesters } from '../campaigns/campaign-rules.ts';
import {
  getCampaign,
  keepTargetsOf,
  lockCampaign,
  lockScheduleState,
  setSchedule,
  setScheduleState,
} from '../campaigns/campaign-store.ts';
import {
  checkReady,
  checkSendable,
  checkTestable,
  readinessOf,
  segmentTargetFaults,
} from '../campaigns/readiness.ts';
import { type Schedule, scheduleAfter } from '../campaigns/schedule.ts';
import { checkMove, checkSchedulable } from '../campaigns/schedule-state.ts';
import { currentHold, type Hold, holdText, refuseWhileHeld } from '../installation/installation-store.ts';
import type { App } from '../platform/app.ts';
import { isDuplicate } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import { type TargetFault, targetFaults } from '../targets/target-faults.ts';
import { findTarget } from '../targets/target-store.ts';
import { checkReachable } from './freeze.ts';
import { type Job, liveStates, movingStates } from './job.ts';
import {
  addGeneration,
  deferJob,
  expiryOfJob,
  findJob,
  insertJob,
  type JobMarks,
  jobBegunFor,
  lastSentJob,
  moveJob,
  type NewJob,
  offerJob,
  plannedJob,
  runningTests,
  tryMoveJob,
} from './job-store.ts';
import type { Resend } from './resend-store.ts';

/**
 * Prevents a second sending by mistake. Only a call that names the campaign's latest job sends it again, so a repeated
 * call has no effect. A one-shot campaign is never sent again.
 * @param afterJob the job that the caller names, if any
 * @throws 409 that names the job with which the campaign was sent
 */
export async function checkSendAgain(
  tx: SiteDb,
  campaign: Campaign,
  afterJob: number | undefined,
): Promise<void> {
  const last = await checkOneshot(tx, campaign);
  if (!last) {
    if (afterJob === undefined) return;
    throw conflict(
      `afterJob: the campaign has not been sent yet, so it has no job ${afterJob}; omit afterJob`,
    );
  }
  if (afterJob !== last.id)
    throw conflict(`The campaign ${last.been}; set afterJob to ${last.id} to send it to its audience again`);
}

/**
 * The job that the campaign was last sent with, if any; `been` has it and its end as a part of a sentence.
 * @throws 409 if there is one and the campaign is one-shot
 */
export async function checkOneshot(tx: SiteDb, { id, parameters }: Campaign) {
  const last = await lastSentJob(tx, id);
  if (!last) return undefined;
  const ended = last.endedAt ? `, ended ${last.endedAt.toISOString()}` : '';
  const been = `has been sent (job ${last.id}${ended})`;
  if (parameters.isOneshot) throw conflict(`The campaign is one-shot (isOneshot) and ${been}`);
  return { id: last.id, been };
}

/**
 * The target of a campaign's test mailings. It is checked at the request and again at the generation, because it may
 * have stopped being a test target in between.
 * @throws 422 when there is none, or it is not a test target
 */
export async function testTargetOf(tx: SiteDb, { parameters: { idTestTarget } }: Campaign): Promise<number> {
  const target = idTestTarget === null ? undefined : await findTarget(tx, idTestTarget);
  if (!target) throw refused('The campaign has no test target');
  if (!target.parameters.isTestTarget) throw refused(`Target ${target.id} is not a test target`);
  return target.id;
}

/**
 * Adds a job and its generation in the caller's transaction. @returns the job's id
 * @throws 409 while sending is held, or when the campaign has a real job that is not final (an index decides between
 *   two calls at once)
 */
export async function startJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  await refuseWhileHeld(tx);
  try {
    return await insertJob(tx, job, at);
  } catch (error) {
    if (isDuplicate(error, 'job_running')) throw conflict('The campaign has a job that is not finished');
    throw error;
  }
}

/** A request to send a campaign. */
interface RealJob {
  /** The result of `segmentTargetFaults`, from before the campaign was locked. */
  readonly faults: readonly TargetFault[];
  readonly author: string;
  readonly at: Date;
  /** Sends to failed recipients of an earlier job only. */
  readonly resend?: Resend;
  /** Without a schedule the job starts after the installation's delay, so that it can still be stopped. */
  readonly schedule?: Schedule;
}

/**
 * Adds a real job of a campaign, for the first date of its schedule or for now. The caller has locked the campaign and
 * checked its state (`checkStart`, `checkSchedulable`).
 * @returns the job's id
 * @throws 422 that names everything that keeps the campaign from being sent, 503 when it cannot be checked now
 */
export async function startRealJob(
  app: App,
  tx: SiteDb,
  campaign: Campaign,
  { faults, author, at, resend, schedule }: RealJob,
): Promise<number> {
  checkSendable(campaign);
  await checkReachable(app, tx.site.id);
  // A call that deletes a target waits, and finds the campaign scheduled. One deleted before is found missing here.
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

interface TestMailing {
  readonly campaign: Campaign;
  /** The only segment to send. Default: all that are not excluded. */
  readonly idSegment?: number;
  readonly author: string;
  readonly at: Date;
}

/**
 * Starts a test mailing (BAT) to the campaign's test target, on one segment or on all that are not excluded. It leaves
 * at once, whatever the campaign's state, and counts as a test only. The generation repeats the checks.
 * @throws 422 when there is no test target, it selects too many, or no message can be built; everything that counting
 *   the target throws
 */
export async function startTestMailing(app: App, db: SiteDb, mailing: TestMailing): Promise<void> {
  const { campaign, idSegment, author, at } = mailing;
  checkSendable(campaign);
  const idTestTarget = await testTargetOf(db, campaign);
  // The segments' own targets get no test mailing, so their faults do not matter.
  const readiness = await readinessOf(db, campaign, []);
  const faults = await targetFaults(app, db, [idTestTarget], at);
  const wrong = faults.filter(({ refusal }) => refusal.status !== 503);
  checkTestable({ testProblems: [...readiness.testProblems, ...wrong.map(({ problem }) => problem)] });
  checkTesters(await countTesters(app, db, idTestTarget, at, maxTesters + 1));
  const segment = idSegment === undefined ? {} : { idSegment };
  const job = { campaign: readiness.asSent, isTest: true, ...segment, scheduledAt: at, author };
  await db.transaction((tx) => startJob(tx, job, at));
}

/** The request that schedules a campaign. */
export interface Scheduling {
  readonly app: App;
  readonly db: SiteDb;
  readonly caller: { readonly userName: string };
  readonly now: Date;
}

/**
 * Gives a campaign a schedule, replacing the pending one. The first date becomes a job; the end of each job adds the
 * job of the next date (`tryMoveJob`).
 * @throws 404, 409 for a campaign that cannot be scheduled now or that was begun for one of the dates, 422 that names
 *   everything that keeps it from being sent, 503 when that cannot be checked now
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

/** Removes the schedule of a campaign that waits for a date. @throws 404, 409 that names both states */
export async function removeSchedule({ db, now }: Scheduling, idCampaign: number): Promise<void> {
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
      'The campaign is one-shot (isOneshot), so it is sent once; give one date, or set isOneshot to false',
    );
  // A repeated call sends nothing twice, even if the job of the first one has ended.
  const begun = await jobBegunFor(tx, campaign.id, schedule.dates);
  if (begun)
    throw conflict(
      `The campaign has already been begun for ${begun.scheduledAt.toISOString()} (job ${begun.id}); give a later date`,
    );
}

async function stopWaiting(
  tx: SiteDb,
  campaign: Campaign,
  at: Date,
  to: 'Programmed' | 'None',
): Promise<void> {
  if (campaign.scheduleState !== 'Programmed') return;
  const errorInfo = 'Its date was removed';
  await stopJob(tx, await plannedJob(tx, campaign.id), { endedAt: at, errorInfo, campaignState: to });
}

/**
 * Resumes a paused campaign in the caller's transaction, its row locked. A frozen job continues with the recipients
 * that are left; a job that was paused earlier is generated, but not before its time.
 * @throws 409 while sending is held, or when the messages have expired
 */
export async function resumeCampaign(tx: SiteDb, campaign: Campaign, at: Date): Promise<void> {
  await refuseWhileHeld(tx);
  const job = await plannedJob(tx, campaign.id);
  if (job.isFrozen) {
    // Mail programs would hide expired messages.
    const expiry = await expiryOfJob(tx, job.id);
    if (expiry && expiry <= at) {
      throw conflict(`The messages have expired (${expiry.toISOString()}); stop the campaign instead`);
    }
    await moveJob(tx, job.id, 'Sending', { triedAt: at });
    await offerJob(tx, job.id);
  } else {
    await moveJob(tx, job.id, 'Programmed');
    // After a pause of more than an hour a job without a schedule must not be missed. A date of a schedule keeps its
    // time, and may be missed.
    if (campaign.calendarDates.length === 0) await deferJob(tx, job.id, at);
    await addGeneration(tx, job.id, job.scheduledAt > at ? job.scheduledAt : at);
  }
}

/**
 * Stops a job in the caller's transaction. The engine then cancels the recipients that are left. Returns false if the
 * job has ended in the meantime.
 */
export async function stopJob(tx: SiteDb, job: Job, marks: JobMarks): Promise<boolean> {
  if (!(await tryMoveJob(tx, job.id, liveStates, 'Stopped', marks))) return false;
  // Re-read: a test mailing may have been frozen since `job` was read.
  if ((await findJob(tx, job.id))?.isFrozen) await offerJob(tx, job.id);
  return true;
}

/**
 * Stops the campaign's running test mailings, its row locked. The campaign's state does not change. Returns whether
 * there were any.
 */
export async function stopTests(tx: SiteDb, idCampaign: number, at: Date): Promise<boolean> {
  let hadSome = false;
  for (const job of await runningTests(tx, idCampaign))
    if (await stopJob(tx, job, { endedAt: at })) hadSome = true;
  return hadSome;
}

/**
 * While sending is held, pauses every job of every site that would continue without a call, and records why. Its users
 * decide whether to resume it after the hold. Safe to repeat and to run in several processes.
 */
export async function pauseHeldJobs(app: Pick<App, 'control' | 'siteById' | 'log'>): Promise<void> {
  const hold = await currentHold(app.control);
  if (!hold) return;
  await forEachSite(app, 'jobs not paused while sending is held', async (db) => {
    const site = db.site.name;
    const jobs = await db.rows<{ id: number }>(sql`
      select id from ${db.t.job} where state = any(${movingStates}::text[]) order by id`);
    for (const job of jobs) {
      // If one job cannot be paused, the others still are. The hold itself keeps it from sending.
      const isPaused = await pauseHeldJob(db, job.id, hold).catch((err: Error) => {
        app.log.error({ err, site, idJob: job.id }, 'the job cannot be paused');
        return false;
      });
      if (isPaused) app.log.warn({ site, idJob: job.id }, 'the job is paused: sending is held');
    }
  });
}

/** Pauses one job. Returns false if its state does not allow it. */
export async function pauseHeldJob(db: SiteDb, idJob: number, hold: Hold): Promise<boolean> {
  return tryMoveJob(db, idJob, movingStates, 'Paused', { errorInfo: holdText(hold) });
}
