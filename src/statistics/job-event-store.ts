import { changesOfRecord } from '../accounts/audit-entry-store.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { deferredState } from '../sending/sent.ts';
import { courseOperations, eventsOfJob, type JobCourse, type JobEvent, type ReplySum } from './job-event.ts';

/** A request is logged at its end, and its entry is written within a second. */
const requestMs = 60_000;
/** Acts that are shown: the newest. */
const mostActs = 1_000;

/** Reads the events of a job, newest first; undefined for an unknown job. */
export async function readJobEvents(db: SiteDb, idJob: number, now: Date): Promise<JobEvent[] | undefined> {
  const job = await db.first<JobCourse & { idCampaign: number; isTest: boolean }>(sql`
    select id_campaign as "idCampaign", is_test as "isTest", state, author, created_at as "createdAt",
      started_at as "startedAt", paused_at as "pausedAt", ended_at as "endedAt", error_info as "errorInfo",
      relay_outages as "relayOutages",
      (select coalesce(sum(nb_address_to_send), 0)::int from ${db.t.sent} where id_job = ${idJob}) as "nbPeople"
    from ${db.t.job} where id = ${idJob}`);
  if (!job) return undefined;
  // A pause and a resumption are of the real job; a stop during test mailings is of those.
  const acts = job.isTest
    ? []
    : await changesOfRecord(
        db,
        db.site.id,
        { byName: courseOperations, name: 'idCampaign', id: job.idCampaign },
        { from: job.createdAt, to: new Date((job.endedAt ?? now).getTime() + requestMs), most: mostActs },
      );
  return eventsOfJob(job, acts.reverse(), await sumReplies(db, idJob));
}

/**
 * Replies that made recipients deferred, rejected or expired, by code. Reads the sums of ranges, the log of open ones,
 * and the receipts of sendings whose sums have a rejection or an expiry; only receipts with one are expanded.
 */
async function sumReplies(db: SiteDb, idJob: number): Promise<ReplySum[]> {
  const { t } = db;
  const failed = [receiptStates.refused, receiptStates.expired];
  return db.rows<ReplySum>(sql`
    with closed as (
      select one.state, one.code, min(r.first_at + one.delay * interval '1 millisecond') as first_at, count(*) as n
      from ${t.receipt_range} r, unnest(r.states, r.codes, r.delays) one (state, code, delay)
      where r.id_sent in (
        select id_sent from ${t.recipient_range}
        where id_job = ${idJob} and is_done and nb_refused + nb_expired > 0)
        and r.states && ${failed}::smallint[] and one.state = any(${failed}::smallint[])
      group by one.state, one.code),
    open as (
      select one.state, one.code, min(l.at) as first_at, count(distinct one.id_subscriber) as n
      from ${t.recipient_range} r
        join ${t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
        unnest(l.outcomes, l.states, l.codes) one (id_subscriber, state, code)
      where r.id_job = ${idJob} and not r.is_done and one.state = any(${[...failed, deferredState]}::smallint[])
      group by one.state, one.code)
    select case state when ${receiptStates.refused} then 'rejected' when ${receiptStates.expired} then 'expired'
        else 'deferred' end as kind,
      code, min(first_at) as "firstAt", sum(n)::int as "nbPeople"
    from (select * from closed union all select * from open) part
    group by state, code
    order by "firstAt", kind, code`);
}
