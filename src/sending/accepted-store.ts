import { longestRangeS, receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { outcomes } from './engine/range-memory.ts';

/** Messages that relays accepted. */
export interface AcceptedFrom {
  readonly since: Date;
  readonly senderDomain: string;
  /** 0: domains of no provider. */
  readonly idProvider: number;
}

/**
 * How many messages of a sender's domain relays accepted for a provider, without test mailings. Those of ranges that
 * are at work count too. The cost grows with the messages of the time requested: a second for a million.
 */
export async function countAcceptedFrom(
  db: SiteDb,
  { since, senderDomain, idProvider }: AcceptedFrom,
): Promise<number> {
  const { t } = db;
  const earliest = new Date(since.getTime() - longestRangeS * 1_000);
  const { n } = await db.one<{ n: number }>(sql`
    with own as materialized (
      select s.id, j.id as id_job from ${t.sent} s join ${t.job} j on j.id = s.id_job
      where j.sender_domain = ${senderDomain} and not j.is_test),
    closed as (
      select count(*) as n
      from ${t.receipt_range} r join own on own.id = r.id_sent,
        unnest(r.states, r.id_providers, r.delays) one (state, id_provider, delay)
      where r.first_at > ${earliest} and r.last_at > ${since} and one.state = ${receiptStates.accepted}
        and one.id_provider = ${idProvider} and r.first_at + one.delay * interval '1 millisecond' > ${since}),
    open as (
      select count(*) as n
      from ${t.recipient_range} r join own on own.id = r.id_sent
        join ${t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
        unnest(l.outcomes, l.states) one (id_subscriber, state)
          left join ${t.subscriber} s on s.fld0 = one.id_subscriber
          left join facteur.provider_domain d on d.domain = s.fld37
      where not r.is_done and l.at > ${since} and one.state = ${outcomes.accepted}
        and coalesce(d.id_provider, 0) = ${idProvider})
    select (closed.n + open.n)::int as n from closed, open`);
  return n;
}
