import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { lockBounces, markAccepted } from './bounce-store.ts';
import { recountAsAccepted } from './provider-day-store.ts';
import { longestRangeS, type ReceiptState, type Receipts, receiptStates } from './receipt.ts';

/**
 * Records final states in one row. A recipient that has one keeps it, so that recording again after a crash changes
 * nothing. Earlier bounces are marked if the message was accepted.
 * @returns the number of new ones.
 */
export async function recordReceipts(db: SiteDb, receipts: Receipts): Promise<number> {
  return db.transaction(async (tx) => {
    const n = await insertReceipts(tx, receipts);
    const { idSent, idSubscribers, states } = receipts;
    // After the insert: a concurrent bounce is seen here, or its `settleBounce` sees these receipts.
    await lockBounces(tx, idSent);
    await markAccepted(
      tx,
      idSent,
      idSubscribers.filter((_, index) => states[index] === receiptStates.accepted),
    );
    return n;
  });
}

/**
 * Marks a bounce that was recorded in this transaction if the receipts show that a relay accepted the message. Receipts
 * that are recorded later mark it themselves. This must be last in the transaction, because it keeps receipts of the
 * sending from being recorded until the end: a wait for a subscriber's row, which an import may lock, must not stop the
 * sending.
 */
export async function settleBounce(tx: SiteDb, idSent: number, idSubscriber: number): Promise<void> {
  await lockBounces(tx, idSent, true);
  const receipt = await receiptOf(tx, idSent, idSubscriber);
  if (receipt?.state === receiptStates.accepted) await markAccepted(tx, idSent, [idSubscriber]);
}

async function insertReceipts(tx: SiteDb, receipts: Receipts): Promise<number> {
  const { idSent, idSubscribers, states, codes, idProviders, times } = receipts;
  return tx.value<number>(sql`
    with given as (
      select *
      from unnest(${idSubscribers}::int[], ${states}::smallint[], ${codes}::smallint[], ${idProviders}::int[],
        ${times}::timestamptz[]) g (id_subscriber, state, code, id_provider, at)),
    known as (
      select unnest(r.subscribers) as id_subscriber
      from ${tx.t.receipt_range} r
      where r.id_sent = ${idSent} and r.first_subscriber <= (select max(id_subscriber) from given)
        and r.last_subscriber >= (select min(id_subscriber) from given)),
    fresh as (
      select *, floor(extract(epoch from at - min(at) over ()) / ${longestRangeS}) as stretch
      from given where not exists (select from known where known.id_subscriber = given.id_subscriber)),
    timed as (select *, min(at) over (partition by stretch) as first_at from fresh),
    recorded as (
      insert into ${tx.t.receipt_range} (id_sent, first_subscriber, last_subscriber, subscribers, states, codes,
        id_providers, first_at, last_at, delays)
      select ${idSent}::int, min(id_subscriber), max(id_subscriber), array_agg(id_subscriber order by id_subscriber),
        array_agg(state order by id_subscriber), array_agg(code order by id_subscriber),
        array_agg(id_provider order by id_subscriber), min(at), max(at),
        array_agg((extract(epoch from at - first_at) * 1000)::int order by id_subscriber)
      from timed
      group by stretch
      returning cardinality(subscribers) as n)
    select coalesce(sum(n), 0)::int as n from recorded`);
}

/** The final state of a recipient; undefined while there is none. */
export async function receiptOf(
  db: SiteDb,
  idSent: number,
  idSubscriber: number,
): Promise<{ state: ReceiptState; code: number; at: Date } | undefined> {
  // Not by the view, which would expand all ranges of the sending.
  return db.first(sql`
    select one.state, one.code, r.first_at + one.delay * interval '1 millisecond' as at
    from ${db.t.receipt_range} r,
      unnest(r.subscribers, r.states, r.codes, r.delays) one (id_subscriber, state, code, delay)
    where r.id_sent = ${idSent} and r.first_subscriber <= ${idSubscriber} and r.last_subscriber >= ${idSubscriber}
      and one.id_subscriber = ${idSubscriber}`);
}

/** The states in the receipts of a sending for these subscribers; those without a receipt are absent. */
export async function receiptsAmong(
  db: SiteDb,
  idSent: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReceiptState>> {
  const rows = await db.rows<{ id: number; state: ReceiptState }>(sql`
    select one.id, one.state
    from ${db.t.receipt_range} r, unnest(r.subscribers, r.states) one (id, state)
    where r.id_sent = ${idSent} and r.first_subscriber <= ${Math.max(...ids)}
      and r.last_subscriber >= ${Math.min(...ids)} and one.id = any(${ids}::int[])`);
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Sets the receipts of these subscribers to accepted, because a later message of the same sending was. */
export async function raiseReceipts(tx: SiteDb, idSent: number, ids: readonly number[]): Promise<void> {
  await recountAsAccepted(tx, idSent, ids);
  await tx.run(sql`
    update ${tx.t.receipt_range} r
    set states = (
      select array_agg(case when one.id = any(${ids}::int[]) then ${receiptStates.accepted}::smallint else one.state end
        order by one.n)
      from unnest(r.subscribers, r.states) with ordinality one (id, state, n))
    where r.id_sent = ${idSent} and r.subscribers && ${ids}::int[]`);
  await lockBounces(tx, idSent);
  await markAccepted(tx, idSent, ids);
}
