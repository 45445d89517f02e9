import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { bounceColumns, bounced, columnsOf, deliveredOf } from './counter-store.ts';
import type { Counters } from './counters.ts';
import { hitKinds } from './hit.ts';
import { changeOfJudged } from './hit-burst.ts';
import { counterChanges, hitColumns, hitCounters } from './hit-change.ts';
import { receiptStates } from './receipt.ts';

/** The figures of one provider's recipients within a sending. */
export interface ProviderCounters extends Counters {
  /** 0 means recipients whose domain belongs to no provider. */
  readonly idProvider: number;
  readonly nbAddressToSend: number;
  readonly nbContentClickers: number;
  /** Recipients without a final state. */
  readonly nbWaiting: number;
  /** The most frequent enhanced status code of the reports (RFC 3463); empty if there is none. */
  readonly dsn: string;
  /** Recipients with a report of this status. */
  readonly dsnCount: number;
}

/**
 * The figures of a sending by provider, in the order of their ids. They add up to the figures of the sending
 * (counter-store.ts), which are defined by the same columns. One statement reads everything, so it sees one moment. It
 * reads every receipt and hit of this sending: the cost grows with the sending, not with the site.
 * @param providers the provider of each domain; used for recipients whose range is not finished, others are in their
 *   receipts.
 */
export async function countersByProvider(
  db: SiteDb,
  idSent: number,
  providers: ReadonlyMap<string, number>,
): Promise<ProviderCounters[]> {
  const { t } = db;
  const ofHits = Object.entries(hitCounters).map(
    ([name, column]) => sql`coalesce(hit.${raw(column)}, 0) as "${raw(name)}"`,
  );
  const rows = await db.rows<ProviderCounters>(sql`
    with ${factsOf(db, idSent, providers)},
    hit as (${counterChanges(sql`all_hit`, sql`, id_provider`)}),
    content as (
      select id_provider, count(distinct id_subscriber) as n
      from all_hit where kind in (${hitKinds.editorial}, ${hitKinds.advertisement}) and not is_viral
      group by id_provider),
    waiting as (select id_provider, count(*) as n from recipient where not is_ended group by id_provider),
    address as (select id_provider, count(*) as n from recipient group by id_provider),
    sent as (
      select id_provider, count(*) as n
      from (
        select id_subscriber, id_provider from recipient where is_accepted
        union
        select id_subscriber, id_provider from report) proven
      group by id_provider),
    unsub as (
      select coalesce(id_provider, 0) as id_provider, count(*) as n
      from ${t.unsubscription} left join recipient using (id_subscriber)
      where id_sent = ${idSent}
      group by 1),
    bounces as (select id_provider, ${columnsOf(bounceColumns)} from report group by id_provider),
    dsn as (
      select distinct on (id_provider) id_provider, status, n
      from (
        select coalesce(id_provider, 0) as id_provider, status, count(distinct id_subscriber) as n
        from ${t.bounce} left join recipient using (id_subscriber)
        where id_sent = ${idSent} and status <> ''
        group by 1, 2) counted
      order by id_provider, n desc, status),
    provider as (
      select id_provider from address union select id_provider from sent union select id_provider from hit
      union select id_provider from unsub)
    select id_provider as "idProvider", coalesce(address.n, 0) as "nbAddressToSend",
      coalesce(sent.n, 0) as "nbAddressSent", coalesce(unsub.n, 0) as "nbUnsubs",
      coalesce(content.n, 0) as "nbContentClickers", coalesce(waiting.n, 0) as "nbWaiting",
      coalesce(dsn.status, '') as dsn, coalesce(dsn.n, 0) as "dsnCount",
      ${join(ofHits)},
      ${join(Object.keys(bounceColumns).map((name) => sql`coalesce("${raw(name)}", 0) as "${raw(name)}"`))}
    from provider
      left join address using (id_provider) left join sent using (id_provider) left join hit using (id_provider)
      left join content using (id_provider) left join waiting using (id_provider)
      left join unsub using (id_provider) left join bounces using (id_provider)
      left join dsn using (id_provider)
    order by id_provider`);
  return rows.map((row) => ({ ...row, nbDelivered: deliveredOf(row) }));
}

/**
 * Steps of a statement: those of `recipientsOf`; `report` has all recipients with a report, `all_hit` all hits of the
 * sending as a change. A finished range is in its receipts, an unfinished one in the log.
 */
function factsOf(db: SiteDb, idSent: number, providers: ReadonlyMap<string, number>): Sql {
  const { t } = db;
  const fresh = sql`select ${hitColumns}, id_link from ${t.hit_new} where id_sent = ${idSent}`;
  return sql`
    ${changeOfJudged(t, fresh)},
    ${recipientsOf(db, idSent, providers)},
    report as materialized (
      select b.*, coalesce(id_provider, 0) as id_provider
      from (${bounced(db, sql`array[${idSent}]::int[]`)}) b left join recipient using (id_subscriber)),
    all_hit as materialized (
      select ${hitColumns}, coalesce(id_provider, 0) as id_provider, false as before, true as after
      from (
        select ${hitColumns} from change where after
        union all
        select ${hitColumns} from ${t.hit_folded}
        where id_sent = ${idSent} and id_subscriber not in (select id_subscriber from change)) every_hit
      left join recipient using (id_subscriber))`;
}

/**
 * Steps of a statement. The last one, `recipient`, has everyone in the audience with their provider, whether a relay
 * accepted the message, and whether their state is final.
 * @param isWanted a condition on `id_subscriber`, to read a part of the audience
 */
export function recipientsOf(
  db: SiteDb,
  idSent: number,
  providers: ReadonlyMap<string, number>,
  isWanted: Sql = sql`true`,
): Sql {
  const { t } = db;
  const isOfSent = sql`
    id_job = (select id_job from ${t.known_sent} where id = ${idSent}) and id_sent = ${idSent}`;
  return sql`
    domain as materialized (
      select * from unnest(${[...providers.keys()]}::text[], ${[...providers.values()]}::int[]) d (name, id_provider)),
    open_range as materialized (
      select subscribers from ${t.range_progress} where ${isOfSent} and not is_done),
    ended as materialized (
      select id_subscriber, state from ${t.logged_outcome}
      where ${isOfSent} and state = any(${Object.values(receiptStates)}::smallint[])),
    recipient as materialized (
      select id_subscriber, id_provider, state = ${receiptStates.accepted} as is_accepted, true as is_ended
      from ${t.receipt} where id_sent = ${idSent} and ${isWanted}
      union all
      select one.id_subscriber, coalesce(d.id_provider, 0),
        one.id_subscriber in (select id_subscriber from ended where state = ${receiptStates.accepted}),
        one.id_subscriber in (select id_subscriber from ended)
      from open_range r cross join unnest(r.subscribers) one (id_subscriber)
        left join ${t.subscriber} s on s.fld0 = one.id_subscriber
        left join domain d on d.name = s.fld37
      where ${isWanted})`;
}
