import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { ReceiptState, Receipts } from './receipt.ts';

/**
 * Records final states; a recipient that has one keeps it, so that giving them again after a crash changes nothing.
 * @returns how many were new.
 */
export async function recordReceipts(tx: SiteDb, receipts: Receipts): Promise<number> {
  return tx.run(sql`
    insert into ${tx.t.receipt} (id_sent, id_subscriber, state, code, id_provider, at)
    select ${receipts.idSent}::int, r.id_subscriber, r.state, r.code, r.id_provider, ${receipts.at}::timestamptz
    from unnest(${receipts.idSubscribers}::int[], ${receipts.states}::smallint[], ${receipts.codes}::smallint[],
      ${receipts.idProviders}::int[]) r (id_subscriber, state, code, id_provider)
    on conflict do nothing`);
}

/** The final state of one recipient, or undefined while there is none. */
export async function receiptOf(
  db: SiteDb,
  idSent: number,
  idSubscriber: number,
): Promise<{ state: ReceiptState; code: number; at: Date } | undefined> {
  return db.first(sql`
    select state, code, at from ${db.t.receipt} where id_sent = ${idSent} and id_subscriber = ${idSubscriber}`);
}
