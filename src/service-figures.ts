import { suspendedPairs } from './alerts/alert-store.ts';
import type { App } from './platform/app.ts';
import type { SiteDb } from './platform/db/site-db.ts';
import { join, type Sql, sql } from './platform/db/sql.ts';
import { type EventTotal, eventTotals } from './platform/event-counts.ts';
import { offeredJobs } from './sending/job-store.ts';
import { type RelayState, relayStates } from './sending/sending-health.ts';

/** Sites whose queue and backlog are read, lowest ids first. */
const maxSites = 100;
/** Rows of a backlog that are counted for one site; more is as bad. */
const maxBatches = 1_000;
const maxRanges = 10_000;

/** Figures of the whole installation for the metrics, from one reading of the database. */
export interface ServiceFigures {
  readonly totals: readonly EventTotal[];
  readonly sites: ReadonlyMap<number, string>;
  readonly providers: ReadonlyMap<number, string>;
  readonly queues: readonly Queue[];
  readonly tasks: readonly QueuedTask[];
  readonly relays: readonly RelayState[];
  readonly backlogs: readonly Backlog[];
  /** Providers that messages of a site wait for because of complaints, one for each sender's domain. */
  readonly suspensions: readonly { readonly idSite: number; readonly idProvider: number }[];
}

/** Recipients of running jobs of a site whose range is not finished. */
export interface Queue {
  readonly idSite: number;
  readonly recipients: number;
  /** Seconds since the oldest of these jobs began; 0 without any. */
  readonly ageS: number;
}

/** Jobs of a background task that are due or run. */
export interface QueuedTask {
  readonly task: string;
  readonly waiting: number;
  readonly running: number;
  /** Seconds for which the oldest of those that wait has been due; 0 without any. */
  readonly ageS: number;
}

/** Facts of a site that are in no sum yet. */
export interface Backlog {
  readonly idSite: number;
  readonly hits: number;
  /** Ranges of recipients. */
  readonly ranges: number;
}

/** Reads the figures, in a few statements. @throws Error when the database is unavailable */
export async function readServiceFigures(app: App): Promise<ServiceFigures> {
  const { control } = app;
  const named = async (table: Sql) => {
    const rows = await control.rows<{ id: number; name: string }>(
      sql`select id, name from ${table} order by id`,
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  const sites = await named(sql`facteur.site`);
  const dbs = await Promise.all([...sites.keys()].slice(0, maxSites).map((id) => app.siteById(id)));
  const known = dbs.filter((db) => db !== undefined);
  return {
    totals: await eventTotals(control),
    sites,
    providers: await named(sql`facteur.provider`),
    queues: await queuesOf(app, known),
    tasks: await queuedTasks(app),
    relays: await relayStates(control),
    backlogs: await backlogsOf(app, known),
    suspensions: await suspendedPairs(control, app.clock.now()),
  };
}

/** Queries only sites with work: the queue of the others is empty. */
async function queuesOf({ control }: App, dbs: readonly SiteDb[]): Promise<Queue[]> {
  const busy = new Set((await offeredJobs(control)).map(({ idSite }) => idSite));
  const queues: Queue[] = [];
  for (const db of dbs) {
    const { t, site } = db;
    const none = { recipients: 0, ageS: 0 };
    const row = busy.has(site.id)
      ? await db.one<Omit<Queue, 'idSite'>>(sql`
          select coalesce(sum(total - done), 0)::float8 as recipients,
            coalesce(extract(epoch from clock_timestamp() - min(started_at)), 0)::float8 as "ageS"
          from (
            select j.started_at,
              (select coalesce(sum(nb_address_to_send), 0) from ${t.sent} where id_job = j.id) as total,
              (select coalesce(sum(nb_accepted + nb_refused + nb_expired + nb_uncertain + nb_cancelled), 0)
                from ${t.recipient_range} where id_job = j.id and is_done) as done
            from ${t.job} j where j.state = 'Sending') running`)
      : none;
    queues.push({ idSite: site.id, recipients: row.recipients, ageS: row.ageS });
  }
  return queues;
}

/** Counts tasks that wait for a permit as waiting. */
async function queuedTasks({ control }: App): Promise<QueuedTask[]> {
  return control.rows<QueuedTask>(sql`
    with job as (
      select t.identifier as task, j.locked_at is not null as runs, j.run_at
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where j.locked_at is not null or (j.run_at <= clock_timestamp() and j.attempts < j.max_attempts)
      union all
      select task, false, null from facteur.waiting_job)
    select task, count(*) filter (where not runs)::int as waiting, count(*) filter (where runs)::int as running,
      coalesce(extract(epoch from clock_timestamp() - min(run_at) filter (where not runs)), 0)::float8 as "ageS"
    from job group by task order by task`);
}

/** One statement over all sites, each bounded. */
async function backlogsOf({ control }: App, dbs: readonly SiteDb[]): Promise<Backlog[]> {
  if (dbs.length === 0) return [];
  const parts = dbs.map(
    ({ site, t }) => sql`
      select ${site.id}::int as "idSite",
        (select coalesce(sum(size), 0)::float8 from (select size from ${t.hit_batch} limit ${maxBatches}) b) as hits,
        (select count(*)::int from (
          select from ${t.receipt_range} where not is_folded limit ${maxRanges}) r) as ranges`,
  );
  return control.rows<Backlog>(join(parts, ' union all '));
}
