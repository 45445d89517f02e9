import { countTesters } from '../campaigns/audience.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { checkTesters, maxTesters } from '../campaigns/campaign-rules.ts';
import { lockScheduleState, setScheduleState } from '../campaigns/campaign-store.ts';
import { keepTargetsOf } from '../campaigns/campaign-targets.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import type { Schedule } from '../campaigns/schedule.ts';
import { setSchedule } from '../campaigns/schedule-store.ts';
import { checkReady, checkSendable, checkTestable } from '../campaigns/sendable.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { queuedTasks } from '../platform/tasks.ts';
import { type TargetFault, targetFaults } from '../targets/target-faults.ts';
import { addGeneration, createJob, type NewJob } from './job-store.ts';
import { checkReachable } from './reader-address.ts';
import type { Resend } from './resend-store.ts';
import { testTargetOf } from './send-checks.ts';
import { generateJob } from './tasks/generate-job.ts';

/** Adds a job and the task that generates it, in the caller's transaction; the job's id. @throws 409 (see createJob) */
export async function startJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  const idJob = await createJob(tx, job, at);
  await addGeneration(tx, idJob, job.scheduledAt);
  return idJob;
}

/** Jobs that are to be generated, or are being, and of which the queue has no task that would do it, by id. */
export async function lostGenerations(db: SiteDb): Promise<{ idJob: number; scheduledAt: Date }[]> {
  return db.rows<{ idJob: number; scheduledAt: Date }>(sql`
    select id as "idJob", scheduled_at as "scheduledAt" from ${db.t.job}
    where state in ('Programmed', 'Generating') and not exists (
      select from ${queuedTasks(generateJob)} task
      where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idJob')::int = id)
    order by id`);
}

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
