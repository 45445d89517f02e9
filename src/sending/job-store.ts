import type { Campaign } from '../campaigns/campaign.ts';
import { getCampaign, lockScheduleState, setScheduleState } from '../campaigns/campaign-store.ts';
import { scheduleAfter } from '../campaigns/schedule.ts';
import type { ScheduleState } from '../campaigns/schedule-state.ts';
import { scheduleOf, setSchedule } from '../campaigns/schedule-store.ts';
import { refuseWhileHeld } from '../installation/installation-store.ts';
import { type Connection, cancelHolders, isDuplicate, type Row } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict, notFound } from '../platform/http/refusal.ts';
import { addJob } from '../platform/jobs.ts';
import type { FrozenJob } from './frozen-job.ts';
import {
  campaignStateOf,
  checkJobMove,
  generateJobTask,
  isFinal,
  type Job,
  type JobState,
  liveStates,
  statesBefore,
} from './job.ts';
import { wakeEngines } from './wake-engines.ts';

const columns = sql`
  id, id_campaign as "idCampaign", is_test as "isTest", id_segment as "idSegment", state, author,
  campaign_name as "campaignName", scheduled_at as "scheduledAt", started_at as "startedAt",
  ended_at as "endedAt", error_info as "errorInfo", frozen is not null as "isFrozen", attempt,
  resend_of as "resendOf", resends_uncertain as "resendsUncertain"`;

/** What a new job is about. */
export interface NewJob {
  readonly campaign: Campaign;
  readonly isTest: boolean;
  /** For a test mailing on one segment only. */
  readonly idSegment?: number;
  readonly scheduledAt: Date;
  /** Name of the user who asked. */
  readonly author: string;
  /** Makes it a resend (`resend-store.ts`). */
  readonly resend?: Pick<Job, 'resendOf' | 'resendsUncertain'>;
}

/**
 * Adds a job in state Programmed; the caller adds the task `generateJob` in the same transaction.
 * A campaign has at most one real job that is not final: an index says so, and of two calls at once one gets the 409.
 * So does everybody while sending is held.
 */
export async function createJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  await refuseWhileHeld(tx);
  try {
    return await insertJob(tx, job, at);
  } catch (error) {
    if (isDuplicate(error, 'job_running')) throw conflict('The campaign has a job that is not finished');
    throw error;
  }
}

async function insertJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  const { campaign } = job;
  const row = await tx.one<{ id: number }>(sql`
    insert into ${tx.t.job}
      (id_campaign, is_test, id_segment, state, author, campaign_name, subject, created_at, scheduled_at,
        resend_of, resends_uncertain)
    values (${campaign.id}, ${job.isTest}, ${job.idSegment ?? null}, 'Programmed', ${job.author},
      ${campaign.parameters.name}, ${campaign.parameters.subject}, ${at}, ${job.scheduledAt},
      ${job.resend?.resendOf ?? null}, ${job.resend?.resendsUncertain ?? false})
    returning id`);
  return row.id;
}

/** Has a job generated at a time. One that waits already is deferred or brought forward, not doubled. */
export async function addGeneration(tx: SiteDb, idJob: number, runAt: Date): Promise<void> {
  const idSite = tx.site.id;
  await addJob(
    tx,
    { name: generateJobTask },
    { idSite, idJob },
    { runAt, jobKey: `generate ${idSite} ${idJob}` },
  );
}

/** The job of an id, or undefined. */
export async function findJob(db: SiteDb, id: number): Promise<Job | undefined> {
  return db.first<Job>(sql`select ${columns} from ${db.t.job} where id = ${id}`);
}

/** All that the messages of a job that is frozen are made of. */
export async function frozenJob(db: SiteDb, id: number): Promise<FrozenJob> {
  return (await db.one<{ frozen: FrozenJob }>(sql`select frozen from ${db.t.job} where id = ${id}`)).frozen;
}

/** Puts other messages in the place of those that a job is frozen with. */
export async function replaceFrozen(
  tx: SiteDb,
  id: number,
  frozen: FrozenJob,
  nbLinks: number,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.job} set frozen = ${JSON.stringify(frozen)}::jsonb, nb_links = ${nbLinks} where id = ${id}`);
}

/** The job of an id, of a campaign. @throws 404, for the campaign or for the job */
export async function getJobOf(db: SiteDb, idCampaign: number, id: number): Promise<Job> {
  const campaign = await getCampaign(db, idCampaign);
  const job = await findJob(db, id);
  if (job?.idCampaign !== campaign.id) throw notFound('Job');
  return job;
}

/** The campaign's real job that is not final, if there is one. */
export async function runningJob(db: SiteDb, idCampaign: number): Promise<Job | undefined> {
  return db.first<Job>(sql`
    select ${columns}
    from ${db.t.job}
    where id_campaign = ${idCampaign} and not is_test and state = any(${liveStates}::text[])`);
}

/** The job of a campaign that is Programmed, InProgress or Paused: it has exactly one. */
export async function plannedJob(db: SiteDb, idCampaign: number): Promise<Job> {
  const job = await runningJob(db, idCampaign);
  if (!job) throw new Error(`Campaign ${idCampaign} is planned and has no job`);
  return job;
}

/** A real job of the campaign that was begun for one of the dates, if there is one. */
export async function jobBegunFor(
  db: SiteDb,
  idCampaign: number,
  dates: readonly Date[],
): Promise<{ id: number; scheduledAt: Date } | undefined> {
  return db.first<{ id: number; scheduledAt: Date }>(sql`
    select id, scheduled_at as "scheduledAt" from ${db.t.job}
    where id_campaign = ${idCampaign} and not is_test and single_version is null and started_at is not null
      and scheduled_at = any(${dates.map((date) => date.toISOString())}::timestamptz[])
    order by id limit 1`);
}

/** The campaign's test mailings that are not final, oldest first. */
export async function runningTests(db: SiteDb, idCampaign: number): Promise<Job[]> {
  return db.rows<Job & Row>(sql`
    select ${columns}
    from ${db.t.job}
    where id_campaign = ${idCampaign} and is_test and state = any(${liveStates}::text[])
    order by id`);
}

/**
 * The last real job of a campaign that is over and wrote to somebody, or may have. Just after a stop, while the
 * engine settles what was running, everything that was attempted counts.
 */
export async function lastSentJob(
  db: SiteDb,
  idCampaign: number,
): Promise<{ id: number; endedAt: Date | null } | undefined> {
  return db.first<{ id: number; endedAt: Date | null }>(sql`
    select j.id, j.ended_at as "endedAt"
    from ${db.t.job} j
    where j.id_campaign = ${idCampaign} and not j.is_test and j.single_version is null
      and j.state <> all(${liveStates}::text[])
      and (exists (
          select from ${db.t.recipient_range} r where r.id_job = j.id and r.nb_accepted + r.nb_uncertain > 0)
        or exists (select from ${db.t.send_log} l where l.id_job = j.id))
    order by j.id desc
    limit 1`);
}

/** Recipients of a job with a final state but those who were cancelled: all whom it tried to write to. */
export async function triedInJob(db: SiteDb, idJob: number): Promise<number> {
  const row = await db.one<{ tried: number }>(sql`
    select coalesce(sum(nb_accepted + nb_refused + nb_expired + nb_uncertain), 0)::int as tried
    from ${db.t.recipient_range} where id_job = ${idJob}`);
  return row.tried;
}

/** When the messages of a job lose their worth; null for never, or when they are not frozen yet. */
export async function expiryOfJob(db: SiteDb, id: number): Promise<Date | null> {
  // Not one of the columns of a job: to look for it, the whole of the frozen contents is read.
  const row = await db.first<{ expires: Date | null }>(sql`
    select (frozen #>> '{source,expires}')::timestamptz as expires from ${db.t.job} where id = ${id}`);
  return row?.expires ?? null;
}

/** What a move writes beside the state, and requests. */
export interface JobMarks {
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** Null removes what was told before. */
  readonly errorInfo?: string | null;
  /** When it was set going: anyone who has it sent begins to count again, the job's last try and the deferrals. */
  readonly triedAt?: Date;
  /** Moves the job only while this is the last try to generate it. */
  readonly attempt?: number | undefined;
  /** Where the campaign goes, when it is not where its job's state leads it. */
  readonly campaignState?: ScheduleState;
}

/**
 * Moves a job, and its campaign when it is a real one, in one transaction.
 * @throws 409 that names both states, 404 when there is no such job
 */
export async function moveJob(db: SiteDb, id: number, to: JobState, marks: JobMarks = {}): Promise<void> {
  if (await tryMoveJob(db, id, statesBefore(to), to, marks)) return;
  const job = await findJob(db, id);
  if (!job) throw notFound('Job');
  checkJobMove(job.state, to);
  // Between the two statements the job came into a state from which the move is allowed.
  throw conflict(`The job changed to ${job.state} at the same time; try again`);
}

/**
 * Moves a job from one of the states `from`, compare-and-set, and its campaign when it is a real one. False, and
 * nothing done, when the job is in another state: somebody paused or stopped it, or a second worker was faster.
 * Anyone who generates a job that leaves Generating is aborted. A job that ends by itself is followed by that of the
 * next date of its campaign's schedule, in the same transaction: no crash loses a date or doubles it.
 */
export async function tryMoveJob(
  db: SiteDb,
  id: number,
  from: readonly JobState[],
  to: JobState,
  marks: JobMarks = {},
): Promise<boolean> {
  const triedAt = marks.triedAt ?? null;
  return db.transaction(async (tx) => {
    const job = await findJob(tx, id);
    if (!job) return false;
    // Everybody locks the campaign first and the job second, or a pause and an end could wait for each other.
    if (!job.isTest) await lockScheduleState(tx, job.idCampaign);
    const allowed = from.filter((state) => statesBefore(to).includes(state));
    const moved = await tx.run(sql`
      update ${tx.t.job}
      set state = ${to}, attempt = attempt + ${to === 'Generating' ? 1 : 0}::int,
        started_at = case when ${to === 'Programmed'} then null
          else coalesce(${marks.startedAt ?? null}::timestamptz, started_at) end,
        ended_at = coalesce(${marks.endedAt ?? null}::timestamptz, ended_at),
        error_info = case when ${marks.errorInfo !== undefined} then ${marks.errorInfo ?? null} else error_info end,
        tried_at = coalesce(${triedAt}::timestamptz, tried_at),
        resumed_at = coalesce(${triedAt}::timestamptz, resumed_at)
      where id = ${id} and state = any(${allowed}::text[])
        and attempt = coalesce(${marks.attempt ?? null}::int, attempt)`);
    if (moved === 0) return false;
    // It cannot end with us holding the job, so its connection does not serve another caller yet.
    if (allowed.includes('Generating')) await tx.run(cancelHolders(generationLock(tx, id)));
    if (!job.isTest) await followJob(tx, job, to, marks.campaignState);
    return true;
  });
}

/** The name of the lock that marks the transactions that freeze a job. */
export const generationLock = (db: SiteDb, idJob: number): string =>
  `generation of ${db.site.schema} job ${idJob}`;

/** Makes the job of the date that follows a job's in the campaign's schedule; false when there is none. */
async function planNextDate(tx: SiteDb, { id, idCampaign, author, scheduledAt }: Job): Promise<boolean> {
  const schedule = scheduleAfter(await scheduleOf(tx, idCampaign), scheduledAt);
  if (!schedule) return false;
  const next = schedule.dates[0]!;
  await setSchedule(tx, idCampaign, schedule);
  const campaign = await getCampaign(tx, idCampaign);
  const { at } = await tx.one<{ at: Date }>(sql`
    select coalesce(ended_at, scheduled_at) as at from ${tx.t.job} where id = ${id}`);
  // Also while sending is held: its generation finds that out and pauses it.
  const idJob = await insertJob(tx, { campaign, isTest: false, scheduledAt: next, author }, at);
  await addGeneration(tx, idJob, next);
  return true;
}

/** Moves a campaign after its real job. One that has a date left waits for it, unless it was stopped. */
async function followJob(tx: SiteDb, job: Job, state: JobState, given?: ScheduleState): Promise<void> {
  const { idCampaign } = job;
  const isPlanned = isFinal(state) && state !== 'Stopped' && (await planNextDate(tx, job));
  const to = isPlanned ? 'Programmed' : (given ?? campaignStateOf[state]);
  if ((await lockScheduleState(tx, idCampaign)) !== to) await setScheduleState(tx, idCampaign, to);
}

/** Puts the time off at which a job was to start: what is late is measured from it. */
export async function putJobOff(tx: SiteDb, id: number, to: Date): Promise<void> {
  await tx.run(sql`update ${tx.t.job} set scheduled_at = greatest(scheduled_at, ${to}) where id = ${id}`);
}

/**
 * Reports the sending engine, over all sites, that the job has work: recipients to send to, or to cancel after a
 * stop. The row is only a hint that the engine removes when nothing is left.
 */
export async function offerJob(tx: SiteDb, idJob: number): Promise<void> {
  await tx.run(sql`
    insert into facteur.sending_job (id_site, id_job) values (${tx.site.id}, ${idJob}) on conflict do nothing`);
  await wakeEngines(tx);
}

/** The bucket of a job's messages per hour (engine/permit-store.ts). */
export const jobBucket = (idSite: number, idJob: number): string => `job:${idSite}:${idJob}`;

/** Takes the hint away, and the bucket of its speed: nothing is left to do, or there is no such job. */
export async function withdrawJob(db: SiteDb, idJob: number): Promise<void> {
  // One statement: without the hint nobody would ever come for a bucket that was left.
  await db.run(sql`
    with hint as (delete from facteur.sending_job where id_site = ${db.site.id} and id_job = ${idJob})
    delete from facteur.send_bucket where key = ${jobBucket(db.site.id, idJob)}`);
}

/** The jobs of all sites that have work, by id. A row is a hint (offerJob): the job may be over, or its site gone. */
export async function offeredJobs(control: Connection): Promise<{ idSite: number; idJob: number }[]> {
  return control.rows<{ idSite: number; idJob: number }>(sql`
    select id_site as "idSite", id_job as "idJob" from facteur.sending_job order by id_job, id_site`);
}

/** A campaign that messages were made of, and its newest job of which they were. */
export interface GeneratedCampaign {
  readonly idCampaign: number;
  readonly idJob: number;
  /** When that job was to start: at most an hour before it was generated. */
  readonly scheduledAt: Date;
}

/** Campaigns with a generated job, test mailings too, that was to start after `since`; the last ones first. */
export async function campaignsGenerated(db: SiteDb, since: Date, max: number): Promise<GeneratedCampaign[]> {
  return db.rows<GeneratedCampaign & Row>(sql`
    select id_campaign as "idCampaign", max(id) as "idJob", max(scheduled_at) as "scheduledAt"
    from ${db.t.job}
    where scheduled_at > ${since} and started_at is not null and state not in ('Programmed', 'Generating')
    group by id_campaign
    order by "scheduledAt" desc
    limit ${max}`);
}

/**
 * Says why a job that is due cannot continue just now, where its users look; null when it can. The state stays. Why a
 * job was paused or ended meanwhile is not written over.
 */
export async function reportHindrance(db: SiteDb, idJob: number, why: string | null): Promise<void> {
  await db.run(sql`
    update ${db.t.job} set error_info = ${why}
    where id = ${idJob} and state in ('Programmed', 'Generating', 'Sending')
      and error_info is distinct from ${why}`);
}

/**
 * Whether a job's messages leave by relays, and not into the built-in mailbox: decided when it is first begun,
 * permanently. Else mail to readers would end unseen in the mailbox once a relay is deleted, and that of a trial
 * would leave.
 */
export async function isByRelay(db: SiteDb, idJob: number, hasRelay: boolean): Promise<boolean> {
  const row = await db.one<{ isByRelay: boolean }>(sql`
    update ${db.t.job} set is_by_relay = coalesce(is_by_relay, ${hasRelay}) where id = ${idJob}
    returning is_by_relay as "isByRelay"`);
  return row.isByRelay;
}
