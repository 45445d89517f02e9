import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign } from '../campaigns/campaign.ts';
import {
  getCampaign,
  lockScheduleState,
  scheduleOf,
  setSchedule,
  setScheduleState,
} from '../campaigns/campaign-store.ts';
import { scheduleAfter } from '../campaigns/schedule.ts';
import type { ScheduleState } from '../campaigns/schedule-state.ts';
import {
  type Connection,
  cancelHolders,
  countedByHolder,
  type Database,
  type Row,
} from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict, found, notFound } from '../platform/http/refusal.ts';
import { maxAttempts } from '../platform/retried-run.ts';
import { addTask } from '../platform/tasks.ts';
import type { FrozenJob } from './frozen-job.ts';
import {
  campaignStateOf,
  checkJobMove,
  generateJobTask,
  isFinal,
  type Job,
  type JobState,
  liveStates,
  movingStates,
  statesBefore,
  ungeneratedStates,
} from './job.ts';

const columns = sql`
  id, id_campaign as "idCampaign", is_test as "isTest", id_segment as "idSegment", state, author,
  campaign_name as "campaignName", scheduled_at as "scheduledAt", started_at as "startedAt",
  ended_at as "endedAt", error_info as "errorInfo", frozen is not null as "isFrozen", attempt,
  resend_of as "resendOf", resends_uncertain as "resendsUncertain"`;

/** A job to be added. */
export interface NewJob {
  readonly campaign: Campaign;
  readonly isTest: boolean;
  /** The only segment of a test mailing. */
  readonly idSegment?: number;
  readonly scheduledAt: Date;
  /** Name of the requesting user. */
  readonly author: string;
  /** Set for a resend (`resend-store.ts`). */
  readonly resend?: Pick<Job, 'resendOf' | 'resendsUncertain'>;
}

/** Adds a job in state Programmed, and its generation, in the caller's transaction. @returns the job's id */
export async function insertJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  const { campaign } = job;
  const id = await tx.value<number>(sql`
    insert into ${tx.t.job}
      (id_campaign, is_test, id_segment, state, author, campaign_name, subject, created_at, scheduled_at,
        resend_of, resends_uncertain)
    values (${campaign.id}, ${job.isTest}, ${job.idSegment ?? null}, 'Programmed', ${job.author},
      ${campaign.parameters.name}, ${campaign.parameters.subject}, ${at}, ${job.scheduledAt},
      ${job.resend?.resendOf ?? null}, ${job.resend?.resendsUncertain ?? false})
    returning id`);
  await addGeneration(tx, id, job.scheduledAt);
  return id;
}

/** Schedules the generation of a job. If it is already scheduled, moves it instead of adding a second task. */
export async function addGeneration(tx: SiteDb, idJob: number, runAt: Date): Promise<void> {
  const idSite = tx.site.id;
  await addTask(
    tx,
    { name: generateJobTask, maxAttempts },
    { idSite, idJob },
    { runAt, jobKey: `generate ${idSite} ${idJob}` },
  );
}

export async function findJob(db: SiteDb, id: number): Promise<Job | undefined> {
  return db.first<Job>(sql`select ${columns} from ${db.t.job} where id = ${id}`);
}

/** Everything that the messages of a frozen job are made of. */
export async function frozenJob(db: SiteDb, id: number): Promise<FrozenJob> {
  return db.value<FrozenJob>(sql`select frozen from ${db.t.job} where id = ${id}`);
}

/** Replaces the messages that a job is frozen with. */
export async function replaceFrozen(
  tx: SiteDb,
  id: number,
  frozen: FrozenJob,
  nbLinks: number,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.job} set frozen = ${JSON.stringify(frozen)}::jsonb, nb_links = ${nbLinks} where id = ${id}`);
}

/** The job of a campaign, by id. @throws 404 for the campaign or the job */
export async function getJobOf(db: SiteDb, idCampaign: number, id: number): Promise<Job> {
  const campaign = await getCampaign(db, idCampaign);
  const job = await findJob(db, id);
  if (job?.idCampaign !== campaign.id) throw notFound('Job');
  return job;
}

/** The campaign's real job that is not final; there is one while it is Programmed, InProgress or Paused. */
export async function plannedJob(db: SiteDb, idCampaign: number): Promise<Job> {
  return db.one<Job & Row>(sql`
    select ${columns}
    from ${db.t.job}
    where id_campaign = ${idCampaign} and not is_test and state = any(${liveStates}::text[])`);
}

/** A real job of the campaign that was begun for one of the dates, if any. */
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

/** The campaign's running test mailings, oldest first. */
export async function runningTests(db: SiteDb, idCampaign: number): Promise<Job[]> {
  return db.rows<Job & Row>(sql`
    select ${columns}
    from ${db.t.job}
    where id_campaign = ${idCampaign} and is_test and state = any(${liveStates}::text[])
    order by id`);
}

/**
 * The latest real job of a campaign that has ended and that sent messages, or may have. Just after a stop, while the
 * engine settles the ranges, every attempted message counts.
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

/** Number of recipients that a job attempted: those with a final state, except cancelled ones. */
export async function triedInJob(db: SiteDb, idJob: number): Promise<number> {
  return db.value<number>(sql`
    select coalesce(sum(nb_accepted + nb_refused + nb_expired + nb_uncertain), 0)::int as tried
    from ${db.t.recipient_range} where id_job = ${idJob}`);
}

/** When the messages of a job expire; null for never, or if they are not frozen yet. */
export async function expiryOfJob(db: SiteDb, id: number): Promise<Date | null> {
  // Not among the columns of a job: PostgreSQL reads the whole frozen content for it.
  const row = await db.first<{ expires: Date | null }>(sql`
    select (frozen #>> '{source,expires}')::timestamptz as expires from ${db.t.job} where id = ${id}`);
  return row?.expires ?? null;
}

/** The values that a move writes with the state, and its condition. */
export interface JobMarks {
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** Null clears it. */
  readonly errorInfo?: string | null;
  /** When sending starts or resumes: times of the last attempt and of deferrals count from here. */
  readonly triedAt?: Date;
  /** When it is paused. Default: the database's time. */
  readonly pausedAt?: Date;
  /** Condition: the job's latest attempt at generation. */
  readonly attempt?: number | undefined;
  /** State of the campaign, if it differs from the one that follows from the job's state. */
  readonly campaignState?: ScheduleState;
}

/**
 * Moves a job and, for a real one, its campaign, in one transaction.
 * @throws 409 that names both states, 404 for an unknown job
 */
export async function moveJob(db: SiteDb, id: number, to: JobState, marks: JobMarks = {}): Promise<void> {
  if (await tryMoveJob(db, id, statesBefore(to), to, marks)) return;
  const job = found(await findJob(db, id), 'Job');
  checkJobMove(job.state, to);
  // The job's state changed between the two statements, so the move is allowed now.
  throw conflict(`The job changed to ${job.state} at the same time; try again`);
}

/**
 * Moves a job, and the campaign of a real job, by compare-and-set. Returns false without any change if the job is in no
 * state of `from`: a call or another worker has moved it. Leaving Generating aborts the transaction that generates the
 * job. A job that ends without a call is followed by the job of its schedule's next date in the same transaction, so no
 * crash loses or repeats a date.
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
    // Every transaction locks the campaign first and the job second; otherwise a pause and an end could deadlock.
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
        resumed_at = coalesce(${triedAt}::timestamptz, resumed_at),
        paused_at = case when ${to === 'Paused'}
          then coalesce(${marks.pausedAt ?? null}::timestamptz, clock_timestamp()) else paused_at end
      where id = ${id} and state = any(${allowed}::text[])
        and attempt = coalesce(${marks.attempt ?? null}::int, attempt)`);
    if (moved === 0) return false;
    // The transaction that generates cannot end while we hold the job, so its connection serves no other caller yet.
    if (allowed.includes('Generating')) await tx.run(cancelHolders(generationLock(tx, id)));
    if (!job.isTest) await followJob(tx, job, to, marks.campaignState);
    return true;
  });
}

const generationName = (db: SiteDb) => `generation of ${db.site.schema} job `;

/** Name of the lock that marks the transactions that generate a job. */
export const generationLock = (db: SiteDb, idJob: number): string => generationName(db) + idJob;

/** A query of the recipients that the running generation of a job has found so far, in thousands; 0 without one. */
export const foundByGeneration = (db: SiteDb, idJob: Sql): Sql =>
  countedByHolder(sql`${generationName(db)} || ${idJob}`);

/** Adds the job of the next date in the campaign's schedule. Returns false if there is none. */
async function planNextDate(tx: SiteDb, { id, idCampaign, author, scheduledAt }: Job): Promise<boolean> {
  const schedule = scheduleAfter(await scheduleOf(tx, idCampaign), scheduledAt);
  if (!schedule) return false;
  const next = schedule.dates[0]!;
  await setSchedule(tx, idCampaign, schedule);
  const campaign = await getCampaign(tx, idCampaign);
  const at = await tx.value<Date>(sql`
    select coalesce(ended_at, scheduled_at) as at from ${tx.t.job} where id = ${id}`);
  // Added even while sending is held: the generation then pauses it.
  await insertJob(tx, { campaign, isTest: false, scheduledAt: next, author }, at);
  return true;
}

/** Moves a campaign after its real job. A campaign with a date left waits for it, unless it was stopped. */
async function followJob(tx: SiteDb, job: Job, state: JobState, given?: ScheduleState): Promise<void> {
  const { idCampaign } = job;
  const isPlanned = isFinal(state) && state !== 'Stopped' && (await planNextDate(tx, job));
  const to = isPlanned ? 'Programmed' : (given ?? campaignStateOf(state));
  if ((await lockScheduleState(tx, idCampaign)) !== to) await setScheduleState(tx, idCampaign, to);
}

/** Defers a job's date, from which its lateness is measured. */
export async function deferJob(tx: SiteDb, id: number, to: Date): Promise<void> {
  await tx.run(sql`update ${tx.t.job} set scheduled_at = greatest(scheduled_at, ${to}) where id = ${id}`);
}

/**
 * Notifies the engine: a job has recipients to send to, or to cancel after a stop. The row is a hint; the engine
 * removes it when no work is left.
 */
export async function offerJob(tx: SiteDb, idJob: number): Promise<void> {
  await tx.run(sql`
    insert into facteur.sending_job (id_site, id_job) values (${tx.site.id}, ${idJob}) on conflict do nothing`);
  await wakeEngines(tx);
}

/** Key of the bucket of a job's messages per hour. */
export const jobBucket = (idSite: number, idJob: number): string => `job:${idSite}:${idJob}`;

/** Removes the engine's hint of a job, and the bucket of its speed. */
export async function withdrawJob(db: SiteDb, idJob: number): Promise<void> {
  // One statement: without the hint, no process would ever remove the bucket.
  await db.run(sql`
    with hint as (delete from facteur.sending_job where id_site = ${db.site.id} and id_job = ${idJob})
    delete from facteur.send_bucket where key = ${jobBucket(db.site.id, idJob)}`);
}

/**
 * The jobs of all sites that may have work, by id. A row is a hint: the job may have ended, or its site may be deleted.
 */
export async function offeredJobs(control: Connection): Promise<{ idSite: number; idJob: number }[]> {
  return control.rows<{ idSite: number; idJob: number }>(sql`
    select id_site as "idSite", id_job as "idJob" from facteur.sending_job order by id_job, id_site`);
}

/** A campaign and its newest generated job. */
export interface GeneratedCampaign {
  readonly idCampaign: number;
  readonly idJob: number;
  /** The job's date: at most an hour before its generation. */
  readonly scheduledAt: Date;
}

/** Campaigns with a generated job or test mailing whose date is later than `since`, newest first. */
export async function campaignsGenerated(db: SiteDb, since: Date, max: number): Promise<GeneratedCampaign[]> {
  return db.rows<GeneratedCampaign & Row>(sql`
    select id_campaign as "idCampaign", max(id) as "idJob", max(scheduled_at) as "scheduledAt"
    from ${db.t.job}
    where scheduled_at > ${since} and started_at is not null and state <> all(${ungeneratedStates}::text[])
    group by id_campaign
    order by "scheduledAt" desc
    limit ${max}`);
}

/** Records why a due job cannot continue now (`errorInfo`); null clears it. The reason of a pause or an end is kept. */
export async function reportHindrance(db: SiteDb, idJob: number, why: string | null): Promise<void> {
  await db.run(sql`
    update ${db.t.job} set error_info = ${why}
    where id = ${idJob} and state = any(${movingStates}::text[])
      and error_info is distinct from ${why}`);
}

/**
 * Whether a job's messages leave by relays rather than into the built-in mailbox. Decided once, at the first start:
 * otherwise mail to real readers would end up in the mailbox once a relay is deleted, and the mail of a trial would
 * leave once one is added.
 */
export async function isByRelay(db: SiteDb, idJob: number, hasRelay: boolean): Promise<boolean> {
  return db.value<boolean>(sql`
    update ${db.t.job} set is_by_relay = coalesce(is_by_relay, ${hasRelay}) where id = ${idJob}
    returning is_by_relay as "isByRelay"`);
}

const sendingChannel = 'facteur_sending';
/** Notifications within this time count as one: a poll takes some milliseconds. */
const gatherMs = 20;

/** Notifies the engines of all processes, when the transaction commits, that there may be work. */
export async function wakeEngines(tx: SiteDb): Promise<void> {
  await tx.run(sql`select pg_notify(${sendingChannel}, '')`);
}

/**
 * Listens on its own connection and calls `wake` at each notification, until the signal aborts. A lost notification
 * only costs the time until the next poll, so a failed connection is replaced silently.
 */
export async function listenForJobs(control: Database, wake: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(control, wake, signal).catch(() => undefined);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function listenOnce(control: Database, wake: () => void, signal: AbortSignal): Promise<void> {
  const client = await control.pool.connect();
  let gathering: NodeJS.Timeout | undefined;
  const gathered = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      wake();
    }, gatherMs);
  };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  try {
    client.once('end', end).once('error', end).on('notification', gathered);
    signal.addEventListener('abort', end, { once: true });
    // The signal may have aborted before this connection existed; no event reports that.
    if (signal.aborted) end();
    await client.query(`listen ${sendingChannel}`);
    wake();
    await ended;
  } finally {
    signal.removeEventListener('abort', end);
    client.off('end', end).off('error', end).off('notification', gathered);
    clearTimeout(gathering);
    // Closed, not reused: a listening session must not return to the pool.
    client.release(true);
  }
}
