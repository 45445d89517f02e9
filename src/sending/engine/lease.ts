import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { hasEnded } from '../../platform/process-name.ts';
import type { JobState } from '../job.ts';
import type { LogRow } from './outcomes.ts';

/** A range of a job's frozen audience, held by this process until its lease runs out. */
export interface LeasedRange {
  readonly idJob: number;
  readonly number: number;
  readonly idSent: number;
  readonly subscribers: readonly number[];
  /** Fencing token: statements of an earlier holder carry a smaller one and do nothing. */
  readonly epoch: number;
  readonly lastCommit: number;
  /** Time when the job was last resumed; null if that is not known. */
  readonly resumedAt: Date | null;
}

/** A process that leases ranges, and the seconds that a lease holds without being renewed. */
export interface Holder {
  /** Unique to the process's life. */
  readonly owner: string;
  readonly leaseS: number;
}

interface Wanted {
  /** Numbers of ranges that this process already holds; they are not taken twice. */
  readonly held?: readonly number[];
  /**
   * Ranges whose recipients wait for a later instant are skipped, and so is the remainder of an A/B test, which waits
   * without limit (`not_before` is infinity). 'infinity' takes them too.
   */
  readonly at: Date | 'infinity';
  /** Providers that have no room; ranges that wait for these alone are skipped. */
  readonly fullProviders?: readonly number[];
}

/** Condition: an open range may be taken, because no process holds it and a recipient may be due. */
const mayBeTaken = (at: Wanted['at'], fullProviders: readonly number[]): Sql => sql`
  (not is_done and (lease_until is null or lease_until < clock_timestamp())
    and (not_before <= ${at}::timestamptz or (not_before is null and limited_by is null)
      or not limited_by <@ ${fullProviders}::int[]))`;

/**
 * Takes up to `count` ranges that no process holds, in order. Ranges that another process is taking are skipped (SKIP
 * LOCKED), not waited for. Leases are measured by the database's clock, which all processes share.
 */
export async function takeRanges(
  db: SiteDb,
  holder: Holder,
  idJob: number,
  count: number,
  { held = [], at, fullProviders = [] }: Wanted,
): Promise<LeasedRange[]> {
  return db.rows<LeasedRange>(sql`
    with chosen as (
      select id_job, number
      from ${db.t.recipient_range}
      where id_job = ${idJob} and number <> all(${held}::int[]) and ${mayBeTaken(at, fullProviders)}
      order by number
      limit ${count}
      for update skip locked)
    update ${db.t.recipient_range} r
    set lease_owner = ${holder.owner}, lease_epoch = r.lease_epoch + 1, not_before = null, limited_by = null,
      lease_until = clock_timestamp() + ${holder.leaseS} * interval '1 second'
    from chosen c
    where r.id_job = c.id_job and r.number = c.number
    returning r.id_job as "idJob", r.number, r.id_sent as "idSent", r.subscribers,
      r.lease_epoch as epoch, r.last_commit as "lastCommit",
      (select resumed_at from ${db.t.job} where id = r.id_job) as "resumedAt"`);
}

/** A job as a poll finds it. */
export interface FoundJob {
  readonly state: JobState;
  readonly isOpen: boolean;
  /** Whether any range could be taken now. */
  readonly isTakeable: boolean;
  /** Whether the job waits for the winner of its A/B test, which is chosen at `dueAt`; null if that is not set yet. */
  readonly isTesting: boolean;
  readonly dueAt: Date | null;
}

/**
 * Finds the work that is left of a job at `at`; undefined if no job has this id. Ranges of processes of this machine
 * that have ended are released first; those of other machines become free when their lease expires.
 */
export async function findWork(db: SiteDb, idJob: number, at: Date): Promise<FoundJob | undefined> {
  const found = await look(db, idJob, at);
  const ended = found?.holders.filter(hasEnded) ?? [];
  if (ended.length === 0) return found;
  await db.run(sql`
    update ${db.t.recipient_range} set lease_owner = null, lease_until = null
    where id_job = ${idJob} and lease_owner = any(${ended}::text[]) and not is_done`);
  return look(db, idJob, at);
}

async function look(
  db: SiteDb,
  idJob: number,
  at: Date,
): Promise<(FoundJob & { readonly holders: readonly string[] }) | undefined> {
  return db.first(sql`
    select state, a.id_job is not null as "isTesting", a.due_at as "dueAt",
      exists (select from ${db.t.recipient_range} where id_job = ${idJob} and not is_done) as "isOpen",
      exists (
        select from ${db.t.recipient_range} where id_job = ${idJob} and ${mayBeTaken(at, [])}) as "isTakeable",
      array(select distinct lease_owner from ${db.t.recipient_range}
        where id_job = ${idJob} and not is_done and lease_until >= clock_timestamp()) as holders
    from ${db.t.job} left join ${db.t.ab_test} a on a.id_job = id and a.decided_at is null
    where id = ${idJob}`);
}

/** The log of a range, oldest row first. */
export async function readLog(db: SiteDb, idJob: number, number: number): Promise<LogRow[]> {
  return db.rows<LogRow>(sql`
    select at, intents, outcomes, states, codes
    from ${db.t.send_log}
    where id_job = ${idJob} and range_number = ${number}
    order by id`);
}

/**
 * Takes a new fencing token after a commit whose result is unknown. This waits for a statement of ours that may still
 * run, and fences off one that has not begun. Returns undefined if the range is no longer ours.
 */
export async function renewFencingToken(
  db: SiteDb,
  holder: Holder,
  range: { readonly idJob: number; readonly number: number },
): Promise<{ epoch: number; lastCommit: number } | undefined> {
  return db.first(sql`
    update ${db.t.recipient_range}
    set lease_epoch = lease_epoch + 1,
      lease_until = clock_timestamp() + ${holder.leaseS} * interval '1 second'
    where id_job = ${range.idJob} and number = ${range.number} and lease_owner = ${holder.owner} and not is_done
    returning lease_epoch as epoch, last_commit as "lastCommit"`);
}

/**
 * Releases a range. Nothing happens if it is no longer ours.
 * @param waits reasons why its remaining recipients wait: the next deferred one until `notBefore`, the others for the
 * limits of the providers `limitedBy`
 */
export async function releaseRange(
  db: SiteDb,
  range: { readonly idJob: number; readonly number: number; readonly epoch: number },
  waits: { readonly notBefore: Date | null; readonly limitedBy: readonly number[] | null },
): Promise<void> {
  await db.run(sql`
    update ${db.t.recipient_range}
    set lease_owner = null, lease_until = null, not_before = ${waits.notBefore},
      limited_by = ${waits.limitedBy}::int[]
    where id_job = ${range.idJob} and number = ${range.number} and lease_epoch = ${range.epoch} and not is_done`);
}
