import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { bounceClasses } from './bounce.ts';
import { type Counters, noCounters } from './counters.ts';
import { hitKinds } from './hit.ts';
import { changeOfJudged, judgedHits } from './hit-burst.ts';
import { counterChanges, hitColumns, hitCounters } from './hit-change.ts';
import { machineClasses } from './hit-class.ts';
import { receiptStates } from './receipt.ts';

/**
 * The current figures of sendings; every requested id has an entry. Three statements read only the rows of these
 * sendings by index. The cost is that of their bounces, and of one row per 1,000 recipients; figures made of hits are
 * stored as sums.
 * @param device counts only its opens and clicks; the other figures are the same for every device.
 */
export async function countersOfSents(
  db: SiteDb,
  idsSent: readonly number[],
  device?: Device,
): Promise<Map<number, Counters>> {
  const counters = new Map<number, Counters>(idsSent.map((id) => [id, noCounters]));
  if (idsSent.length === 0) return counters;
  const ids = sql`${[...new Set(idsSent)]}::int[]`;
  // One statement after the other if the handle is a transaction's; a pool would not be faster for small sendings.
  const parts = [
    await db.rows<PartOfCounters>(sentAndBounced(db, ids)),
    await db.rows<PartOfCounters>(hitsOf(db, ids, device)),
    await db.rows<PartOfCounters>(sql`
      select id_sent as "idSent", count(*) as "nbUnsubs"
      from ${db.t.unsubscription} where id_sent = any(${ids}) group by id_sent`),
  ];
  for (const { idSent, ...part } of parts.flat())
    counters.set(idSent, { ...(counters.get(idSent) ?? noCounters), ...part });
  for (const [idSent, one] of counters) counters.set(idSent, { ...one, nbDelivered: deliveredOf(one) });
  return counters;
}

/** Number of sent messages of each sending, counted as in `countersOfSents`. */
export async function sentCounts(
  db: SiteDb,
  idsSent: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (idsSent.length === 0) return new Map();
  const rows = await db.rows<PartOfCounters>(sentAndBounced(db, sql`${[...idsSent]}::int[]`));
  return new Map(rows.map(({ idSent, nbAddressSent = 0 }) => [idSent, nbAddressSent]));
}

/** A device whose opens and clicks are counted as if there were no other. */
export type Device = 'mobile' | 'desktop';

type PartOfCounters = { readonly idSent: number } & Partial<Counters>;

/** Delivered messages: sent, less hard, soft, DNS and spam bounces. */
export function deliveredOf(one: Omit<Counters, 'nbDelivered'>): number {
  return (
    one.nbAddressSent - one.nbHardBounces - one.nbSoftBounces - one.nbDnsErrorsBounces - one.nbSpamBounces
  );
}

/**
 * Both figures in one statement, so that “sent” is never less than bounces. Sent counts the recipients whose message
 * a relay accepted, and all others with a report. A report came to a return path that we signed for this message alone,
 * so a relay accepted the message even if its reply was lost. A relay that permanently refuses a mailbox reports at
 * once what another would report later.
 * Accepted messages are the sums of finished ranges (their receipts, counted when they were written) and the log of the
 * others. One statement sees a range in one of the two places, never in both. Bounces are marked with their receipts
 * (receipt-store.ts), so no receipts are read here.
 */
function sentAndBounced(db: SiteDb, ids: Sql): Sql {
  // The ranges and the log are found by job; an array makes PostgreSQL look the jobs up one by one.
  const isOfSents = sql`
    id_job = any(array(select id_job from ${db.t.known_sent} where id = any(${ids}))) and id_sent = any(${ids})`;
  return sql`
    with ranges as materialized (
      select id_sent, is_done, nb_accepted from ${db.t.range_progress} where ${isOfSents}),
    taken as materialized (
      select id_sent, id_subscriber from ${db.t.logged_outcome}
      where ${isOfSents} and state = ${receiptStates.accepted}),
    recipient as materialized (${bounced(db, ids)}),
    proven as (
      select id_sent, count(*) as n
      from recipient r
      where not is_accepted and not exists (
        select from taken t where t.id_sent = r.id_sent and t.id_subscriber = r.id_subscriber)
      group by id_sent),
    counted as (
      select id_sent, sum(n)::bigint as n
      from (
        select id_sent, nb_accepted::bigint as n from ranges where is_done
        union all
        select id_sent, count(*) from taken group by id_sent
        union all
        select id_sent, n from proven) part
      group by id_sent),
    bounces as (select id_sent, ${columnsOf(bounceColumns)} from recipient group by id_sent)
    select id_sent as "idSent", coalesce(n, 0) as "nbAddressSent",
      ${join(Object.keys(bounceColumns).map((name) => sql`coalesce("${raw(name)}", 0) as "${raw(name)}"`))}
    from counted full join bounces using (id_sent)`;
}

/** A recipient counts once: several reports about one message (delayed, then expired) are one bounce, the gravest. */
const gravestFirst = [
  bounceClasses.hard,
  bounceClasses.spam,
  bounceClasses.dns,
  bounceClasses.soft,
  bounceClasses.autoReply,
] as const;

/** Rows (id_sent, id_subscriber, gravest, complained, is_accepted) of all recipients with a report. */
export function bounced(db: SiteDb, ids: Sql): Sql {
  return sql`
    select id_sent, id_subscriber,
      min(array_position(${gravestFirst}::smallint[], class)) as gravest,
      bool_or(class = ${bounceClasses.complaint}) as complained, bool_or(is_accepted) as is_accepted
    from ${db.t.bounce}
    where id_sent = any(${ids})
    group by id_sent, id_subscriber`;
}

const inClass = (one: (typeof gravestFirst)[number]) =>
  sql`count(*) filter (where gravest = ${gravestFirst.indexOf(one) + 1})`;

export const bounceColumns = {
  nbHardBounces: inClass(bounceClasses.hard),
  nbSoftBounces: inClass(bounceClasses.soft),
  nbAutoRespondersBounces: inClass(bounceClasses.autoReply),
  nbDnsErrorsBounces: inClass(bounceClasses.dns),
  nbSpamBounces: inClass(bounceClasses.spam),
  nbTotalBounces: sql`count(gravest)`,
  nbSpamComplaints: sql`count(*) filter (where complained)`,
} satisfies Partial<Record<keyof Counters, Sql>>;

/** Columns named as the counters. */
export function columnsOf(columns: Readonly<Record<string, Sql>>): Sql {
  return join(Object.entries(columns).map(([name, column]) => sql`${column} as "${raw(name)}"`));
}

/**
 * Opens and clicks: the aggregated sums, and what hits that are not aggregated yet change. The hits of a reader with
 * such hits are all read by index, so the cost is that of the last few seconds, not of the whole sending.
 */
function hitsOf(db: SiteDb, ids: Sql, device?: Device): Sql {
  const names = Object.entries(hitCounters);
  const columns = names.map(([, column]) => raw(column));
  const [table, by, ofDevice] = device
    ? [db.t.device_counter, sql`, is_mobile`, sql`and is_mobile = ${device === 'mobile'}::boolean`]
    : [db.t.sent_counter, empty, empty];
  const fromFresh = counterChanges(sql`change`, by);
  const sums = names.map(([name, column]) => sql`sum(${raw(column)})::bigint as "${raw(name)}"`);
  const fresh = sql`select ${hitColumns}, id_link from ${db.t.hit_new} where id_sent = any(${ids})`;
  return sql`
    with ${changeOfJudged(db.t, fresh)}
    select id_sent as "idSent", ${join(sums)}
    from (
      select id_sent, ${join(columns)} from ${table} where id_sent = any(${ids}) ${ofDevice}
      union all
      select id_sent, ${join(columns)} from (${fromFresh}) c where true ${ofDevice}) part
    group by id_sent`;
}

/**
 * The number of readers of each sending who clicked, without machine classes and without those who clicked only to
 * unsubscribe: it compares contents. Counts the hits of these sendings only; a sending without any is omitted.
 */
export async function humanClickersOf(db: SiteDb, idsSent: readonly number[]): Promise<Map<number, number>> {
  const ids = sql`${[...new Set(idsSent)]}::int[]`;
  const rows = await db.rows<{ idSent: number; n: number }>(sql`
    select id_sent as "idSent", count(distinct id_subscriber) as n
    from (${judgedHits(db.t, ids)}) hit
    where kind not in (${hitKinds.open}, ${hitKinds.unsubscription}) and class <> all(${machineClasses}::smallint[])
    group by id_sent`);
  return new Map(rows.map(({ idSent, n }) => [idSent, n]));
}
