import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { JobState } from '../job.ts';
import { jobBucket, offeredJobs } from '../job-store.ts';
import type { EngineParts } from './delivery.ts';
import { areMessagesUsedUp } from './permit-store.ts';
import type { PoolRoute } from './route-pool.ts';

/** The interval between polls, and the time without progress after which a job counts as stalled. */
export interface WatchTimes {
  readonly everyMs: number;
  readonly stalledAfterMs: number;
}

/** The time that a relay may take to reply to a final dot (SmtpTimeouts): a job that waits for it is not stalled. */
export const standardWatch: WatchTimes = { everyMs: 30_000, stalledAfterMs: 600_000 };

/** The parts of an engine that the watch uses. */
export interface Watched extends Pick<EngineParts, 'app' | 'providers' | 'suspensions'> {
  routesOf(idSite: number): Promise<readonly PoolRoute[]>;
  /** Whether this process could begin one more job of the site. */
  hasRoomFor(idSite: number): boolean;
}

/** A job's progress, and what keeps it from continuing. */
interface Progress {
  readonly state: JobState;
  readonly lastLog: number;
  readonly doneRanges: number;
  readonly hasOpen: boolean;
  /** Whether it has open ranges that do not wait for a later attempt, or an A/B test that is due. */
  readonly isDue: boolean;
  readonly isLeased: boolean;
  readonly speed: number;
  readonly senderDomain: string;
}

/**
 * Raises an alarm for jobs that make no progress: one error in the log for each episode, and a mark that health and
 * metrics count. Progress is a new row in the job's log or another range that is done, not the time of a commit, since
 * a job that hangs also renews its leases. A job that waits on purpose is not stalled. Every engine watches all jobs;
 * the marks are in the database, so only one of them logs an episode.
 */
export class ProgressWatch {
  readonly #of: Watched;
  readonly #times: WatchTimes;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isOver = false;

  constructor(of: Watched, times: WatchTimes) {
    this.#of = of;
    this.#times = times;
    this.#timer = setInterval(() => this.#tick(), times.everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isOver = true;
    await this.#looking;
  }

  /** Polls separately from the engine, whose poll may be what hangs. */
  #tick(): void {
    this.#looking ??= this.#look()
      .catch((error) => this.#of.app.log.warn({ err: error }, 'jobs could not be watched; retrying'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const { app } = this.#of;
    for (const { idSite, idJob } of await offeredJobs(app.control)) {
      if (this.#isOver) return;
      // An error of one job must not hide the others.
      await this.#lookAt(idSite, idJob).catch((error) =>
        app.log.warn({ err: error, idSite, idJob }, 'job could not be watched; retrying'),
      );
    }
  }

  async #lookAt(idSite: number, idJob: number): Promise<void> {
    const { app } = this.#of;
    const db = await app.siteById(idSite);
    const progress = db && (await progressOf(db, idJob, app.clock.now()));
    // The engine removes offers without a job.
    if (db && progress) await this.#judge(db, idJob, progress);
  }

  async #judge(db: SiteDb, idJob: number, progress: Progress): Promise<void> {
    const waits = await this.#waitsOnPurpose(db, idJob, progress);
    const change = await this.#note(db, idJob, progress, waits);
    if (!change || change.was === change.is) return;
    const of = { idSite: db.site.id, site: db.site.name, idJob };
    if (change.is) this.#of.app.log.error({ ...of, since: change.since }, 'job makes no progress');
    else this.#of.app.log.info(of, 'job makes progress again');
  }

  async #waitsOnPurpose(db: SiteDb, idJob: number, at: Progress): Promise<boolean> {
    // A stopped job only has to end.
    if (at.state === 'Stopped') return !at.hasOpen;
    if (at.state !== 'Sending') return true;
    // Without an open range, only the end of the job is left.
    if (!at.hasOpen) return false;
    if (!at.isDue) return true;
    if (!at.isLeased && !this.#of.hasRoomFor(db.site.id)) return true;
    const limit = { key: jobBucket(db.site.id, idJob), perHour: at.speed };
    if (await areMessagesUsedUp(this.#of.app.control, limit)) return true;
    return (await this.#routesAreEmpty(db.site.id)) || (await this.#providersAreEmpty(db, idJob, at));
  }

  async #routesAreEmpty(idSite: number): Promise<boolean> {
    const routes = await this.#of.routesOf(idSite);
    for (const { key, messagesPerHour } of routes)
      if (!(await areMessagesUsedUp(this.#of.app.control, { key, perHour: messagesPerHour }))) return false;
    return routes.length > 0;
  }

  /** Whether all remaining recipients are with providers that are suspended, or whose messages are used up for now. */
  async #providersAreEmpty(db: SiteDb, idJob: number, { senderDomain }: Progress): Promise<boolean> {
    const { app, providers, suspensions } = this.#of;
    const suspended = suspensions.of(db.site.id, senderDomain).map(({ idProvider }) => idProvider);
    const domains = suspended.flatMap((idProvider) => providers.domainsOf(idProvider));
    for (const provider of providers.limited)
      if (await areMessagesUsedUp(app.control, providers.hourlyLimit(provider)))
        domains.push(...providers.domainsOf(provider));
    const listed = suspended.includes(0) ? providers.domains : [];
    if (domains.length === 0 && listed.length === 0) return false;
    return !(await hasOthersLeft(db, idJob, { domains, listed }));
  }

  /** Stores the progress. Returns whether the job was and is stalled; undefined if it is no longer offered. */
  async #note(db: SiteDb, idJob: number, at: Progress, waits: boolean) {
    const patience = sql`${this.#times.stalledAfterMs}::float8 * interval '1 ms'`;
    // Locks the row, so that only one of several engines sees the change. After a time in which no engine polled,
    // patience begins again.
    return this.#of.app.control.first<{ was: boolean; is: boolean; since: Date }>(sql`
      with old as materialized (
        select *, (last_log, done_ranges) is distinct from (${at.lastLog}::bigint, ${at.doneRanges}::int)
          or ${waits}::boolean as moves
        from facteur.sending_job where id_site = ${db.site.id} and id_job = ${idJob} for update)
      update facteur.sending_job job
      set last_log = ${at.lastLog}, done_ranges = ${at.doneRanges}, watched_at = clock_timestamp(),
        moved_at = case when old.moves or old.watched_at < clock_timestamp() - ${patience} and not old.is_stalled
          then clock_timestamp() else old.moved_at end,
        is_stalled = not old.moves and (old.is_stalled or old.watched_at >= clock_timestamp() - ${patience}
          and old.moved_at < clock_timestamp() - ${patience})
      from old
      where job.id_site = old.id_site and job.id_job = old.id_job
      returning old.is_stalled as was, job.is_stalled as is, job.moved_at as since`);
  }
}

async function progressOf(db: SiteDb, idJob: number, at: Date): Promise<Progress | undefined> {
  const { t } = db;
  return db.first<Progress>(sql`
    with open as materialized (
      select number, lease_until > clock_timestamp() as is_leased, coalesce(not_before <= ${at}, true)
          or limited_by is not null as is_due
      from ${t.recipient_range} where id_job = ${idJob} and not is_done)
    select state, coalesce((frozen ->> 'sendingSpeed')::int, 0) as speed, coalesce(sender_domain, '') as "senderDomain",
      (select coalesce(max(id), 0) from ${t.send_log} where id_job = ${idJob}) as "lastLog",
      (select count(*)::int from ${t.recipient_range} where id_job = ${idJob} and is_done) as "doneRanges",
      exists (select from open) as "hasOpen",
      exists (select from open where is_due) or exists (
        select from ${t.ab_test} where id_job = ${idJob} and decided_at is null and due_at <= ${at}) as "isDue",
      exists (select from open where is_leased) as "isLeased"
    from ${t.job} where id = ${idJob}`);
}

/**
 * Whether a recipient without a final state has an address with none of these domains and, if any are `listed`, with
 * one of those. The remainder of an A/B test does not count before its winner is chosen.
 */
async function hasOthersLeft(
  db: SiteDb,
  idJob: number,
  { domains, listed }: { readonly domains: readonly string[]; readonly listed: readonly string[] },
): Promise<boolean> {
  const { t } = db;
  return db.value<boolean>(sql`
    select exists (
      select
      from ${t.recipient_range} r, unnest(r.subscribers) as id
        join ${t.subscriber} s on s.fld0 = id
      where r.id_job = ${idJob} and not r.is_done and r.not_before is distinct from 'infinity'
        and coalesce(s.fld37, '') <> all(${domains}::text[])
        and (${listed.length} = 0 or s.fld37 = any(${listed}::text[]))
        and id not in (
          select o.id from ${t.send_log} l, unnest(l.outcomes, l.states) o (id, state)
          where l.id_job = ${idJob} and o.state between 1 and 9)) as has`);
}
