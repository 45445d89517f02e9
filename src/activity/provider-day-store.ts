import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import { parisZone } from '../platform/paris-time.ts';
import { bounceClasses } from './bounce.ts';
import { humanOpenerChanges, humanOpenersIn, isReal } from './hit-change.ts';
import { receiptStates } from './receipt.ts';

/** Bounces counted at a time. */
export const bouncesAtOnce = 5_000;

const { hard, soft, dns, spam } = bounceClasses;
/** Whether a report says that a message was not delivered. Written out, so that the index of uncounted ones is used. */
export const isFailure = raw(`class in (${hard}, ${soft}, ${dns}, ${spam})`);

/** Whether there are receipts, or reports about them, that no sum by provider has. */
export const hasUncounted = (db: SiteDb): Sql => sql`
  (exists (select from ${db.t.receipt_range} where not is_counted) or exists (
    select from ${db.t.bounce} b join ${db.t.receipt_range} r on r.id_sent = b.id_sent
    where not b.is_counted and b.${isFailure} and r.first_subscriber <= b.id_subscriber
      and r.last_subscriber >= b.id_subscriber and b.id_subscriber = any(r.subscribers)))`;

/** Adds receipts of up to `ranges` ranges to the sums by provider, which the caller has locked; returns how many. */
export async function countReceipts(tx: SiteDb, ranges: number): Promise<number> {
  const { refused, expired, cancelled } = receiptStates;
  return tx.value<number>(sql`
    with fresh as (
      update ${tx.t.receipt_range} set is_counted = true
      where (id_sent, first_subscriber) in (
        select id_sent, first_subscriber from ${tx.t.receipt_range} where not is_counted limit ${ranges})
      returning id_sent, first_subscriber, last_subscriber, subscribers, id_providers, states, first_at, delays),
    opener as materialized (${humanOpenersIn(tx.t, sql`fresh`)}),
    result as (
      select ${dayOf(sql`first_at + delay * interval '1 millisecond'`)} as day, id_provider, count(*)::int as nb_sent,
        (count(*) filter (where state in (${refused}, ${expired})))::int as nb_not_delivered,
        count(opener.id_subscriber)::int as nb_human_openers
      from fresh
        cross join unnest(subscribers, id_providers, states, delays) one (id_subscriber, id_provider, state, delay)
        left join opener using (id_sent, id_subscriber)
      where state <> ${cancelled} and ${isReal(tx.t, sql`select distinct id_sent from fresh`)}
      group by 1, 2),
    ${added(tx)}
    select coalesce(sum(cardinality(states)), 0)::int as n from fresh`);
}

/**
 * Adds reports about messages that a relay accepted to the sums by provider, which the caller has locked. The first
 * report about a recipient counts, on the day of their receipt; a report whose receipt is still to come waits. A
 * mailbox that was refused immediately counts by its receipt. Returns the number of reports.
 */
export async function countBounces(tx: SiteDb): Promise<number> {
  const { accepted, uncertain } = receiptStates;
  return tx.value<number>(sql`
    with fresh as materialized (
      select b.id, b.id_sent, b.id_subscriber, b.is_refusal, r.state, r.id_provider, r.at
      from ${tx.t.bounce} b cross join lateral (
        select one.state, one.id_provider, r.first_at + one.delay * interval '1 millisecond' as at
        from ${tx.t.receipt_range} r,
          unnest(r.subscribers, r.states, r.id_providers, r.delays) one (id, state, id_provider, delay)
        where r.id_sent = b.id_sent and r.first_subscriber <= b.id_subscriber
          and r.last_subscriber >= b.id_subscriber and one.id = b.id_subscriber
        limit 1) r
      where not b.is_counted and b.${isFailure}
      limit ${bouncesAtOnce}),
    marked as (update ${tx.t.bounce} set is_counted = true where id in (select id from fresh)),
    result as (
      select ${dayOf(sql`at`)} as day, id_provider, 0 as nb_sent, count(*)::int as nb_not_delivered,
        0 as nb_human_openers
      from fresh f
      where not is_refusal and state in (${accepted}, ${uncertain})
        and ${isReal(tx.t, sql`select distinct id_sent from fresh`)}
        and not exists (
          select from ${tx.t.bounce} b
          where b.id_sent = f.id_sent and b.id_subscriber = f.id_subscriber and b.id < f.id and b.${isFailure}
            and not b.is_refusal)
      group by 1, 2),
    ${added(tx)}
    select count(*)::int as n from fresh`);
}

/**
 * Corrects the sums by provider before the receipts of these subscribers become accepted. Receipts that are in no sum
 * yet are left to `countReceipts`.
 */
export async function recountAsAccepted(tx: SiteDb, idSent: number, ids: readonly number[]): Promise<void> {
  const { refused, expired, cancelled } = receiptStates;
  await tx.run(sql`
    with held as (
      select id_sent, subscribers, states, id_providers, first_at, delays from ${tx.t.receipt_range}
      where id_sent = ${idSent} and subscribers && ${ids}::int[] and is_counted
      order by first_subscriber
      for no key update),
    result as (
      select ${dayOf(sql`first_at + delay * interval '1 millisecond'`)} as day, id_provider,
        (count(*) filter (where state = ${cancelled}))::int as nb_sent,
        -(count(*) filter (where state in (${refused}, ${expired})))::int as nb_not_delivered,
        0 as nb_human_openers
      from held, unnest(subscribers, states, id_providers, delays) one (id, state, id_provider, delay)
      where one.id = any(${ids}::int[]) and ${isReal(tx.t, sql`select ${idSent}::int`)}
      group by 1, 2),
    ${added(tx)}
    select`);
}

/**
 * Steps of a statement that add the people who opened by `change` (hit-change.ts), an earlier step, to the sums by
 * provider. A receipt that is in no sum yet is left to `countReceipts`, which counts its openers as well. The range
 * that begins at the person, or nearest before them, is found by its key. It has the receipt unless ranges overlap, as
 * those of single sends that share a commit. Only for the people who are not in it are all ranges of the sending
 * compared; a binary search finds those to unpack.
 */
export const countOpeners = (t: SiteTables): Sql => sql`
  opener_change as materialized (
    select * from (${humanOpenerChanges(sql`change`)}) o
    where ${isReal(t, sql`select distinct id_sent from change`)}),
  near_key as materialized (
    select distinct o.id_sent, r.first_subscriber
    from opener_change o cross join lateral (
      select first_subscriber from ${t.receipt_range} r
      where r.id_sent = o.id_sent and r.first_subscriber <= o.id_subscriber
      order by first_subscriber desc limit 1) r),
  near_receipt as materialized (
    select ${unpackedColumns}
    from near_key k
      cross join lateral (
        select * from ${t.receipt_range} r
        where r.id_sent = k.id_sent and r.first_subscriber = k.first_subscriber
        offset 0) r
      ${unpacked}),
  near as materialized (${openersAmong('near_receipt', 'opener_change')}),
  remaining as materialized (
    select * from opener_change o where not exists (
      select from near where near.id_sent = o.id_sent and near.id_subscriber = o.id_subscriber)),
  remaining_of as materialized (
    select id_sent, array_agg(id_subscriber order by id_subscriber) as ids from remaining group by id_sent),
  far_receipt as materialized (
    select ${unpackedColumns}
    from remaining_of m
      join ${t.receipt_range} r on r.id_sent = m.id_sent
        and width_bucket(r.first_subscriber - 1, ids) < width_bucket(r.last_subscriber, ids)
      ${unpacked}
    where r.id_sent = any(array(select id_sent from remaining_of)) and r.is_counted),
  far as (${openersAmong('far_receipt', 'remaining')}),
  result as (
    select ${dayOf(sql`first_at + delay * interval '1 millisecond'`)} as day, id_provider, 0 as nb_sent,
      0 as nb_not_delivered, sum(n)::int as nb_human_openers
    from (select * from near union all select * from far) opened
    where is_counted
    group by 1, 2),
  ${added({ t })}`;

const unpackedColumns = sql`r.id_sent, r.is_counted, r.first_at, one.id, one.id_provider, one.delay`;

/** Unpacks the ranges `r`, each once. Joined with people at once, each range would be unpacked for each of them. */
const unpacked = sql`cross join unnest(r.subscribers, r.id_providers, r.delays) one (id, id_provider, delay)`;

/** The receipts of a step that belong to the people of a step with the changes of openers. */
const openersAmong = (receipts: string, people: string): Sql => sql`
  select r.is_counted, r.first_at, o.id_sent, o.id_subscriber, o.n, r.id_provider, r.delay
  from ${raw(receipts)} r join ${raw(people)} o on o.id_sent = r.id_sent and o.id_subscriber = r.id`;

const dayOf = (at: Sql): Sql => sql`((${at}) at time zone ${parisZone}::text)::date`;

/** A step that adds `result`, an earlier one, to the sums. */
const added = ({ t }: Pick<SiteDb, 't'>): Sql => sql`
  added as (
    insert into ${t.provider_day} as d (day, id_provider, nb_sent, nb_not_delivered, nb_human_openers)
    select day, id_provider, nb_sent, nb_not_delivered, nb_human_openers from result order by day, id_provider
    on conflict (day, id_provider) do update
    set nb_sent = d.nb_sent + excluded.nb_sent,
      nb_not_delivered = d.nb_not_delivered + excluded.nb_not_delivered,
      nb_human_openers = d.nb_human_openers + excluded.nb_human_openers)`;

/** Sent messages of a provider, those that were not delivered, and the people who opened. */
export interface ProviderResult {
  /** 0 means recipients whose domain belongs to no provider. */
  readonly idProvider: number;
  readonly nbSent: number;
  readonly nbNotDelivered: number;
  /** People who opened or clicked. */
  readonly nbHumanOpeners: number;
}

/** The results by provider from a Paris day on, the largest first. */
export async function providerResultsSince(db: SiteDb, day: string): Promise<ProviderResult[]> {
  return db.rows<ProviderResult>(sql`
    select id_provider as "idProvider", sum(nb_sent)::int as "nbSent", sum(nb_not_delivered)::int as "nbNotDelivered",
      sum(nb_human_openers)::int as "nbHumanOpeners"
    from ${db.t.provider_day}
    where day >= ${day}::date
    group by id_provider
    order by sum(nb_sent) desc, id_provider`);
}
