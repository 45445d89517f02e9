import type { MailboxRefusal } from '../activity/bounce.ts';
import { insertRefusals, refusalRow } from '../activity/bounce-store.ts';
import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import { raiseReceipts, receiptsAmong, recordReceipts } from '../activity/receipt-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { addJob } from '../platform/jobs.ts';
import { markRefused } from './jobs/mark-refused.ts';

/** A single send that has just ended. */
export interface EndedSend {
  readonly id: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly state: ReceiptState;
  readonly code: number;
  readonly idProvider: number;
  /** What a refusal says of the mailbox. */
  readonly refusal?: MailboxRefusal | undefined;
}

/**
 * Enters single sends where recipients of audiences are entered, in the transaction that ends them: receipts, the range
 * of their sent, and bounces. So every figure, filter and list that reads those counts them. A subscriber counts once
 * for a sent, as everywhere; the message that was accepted decides.
 */
export async function countSends(tx: SiteDb, ended: readonly EndedSend[], at: Date): Promise<void> {
  // In one order, or two processes that end messages of the same sendings could wait for each other.
  const idsSent = [...new Set(ended.map(({ idSent }) => idSent))].sort((a, b) => a - b);
  for (const idSent of idsSent) {
    const ofSent = ended.filter((one) => one.idSent === idSent);
    await countSent(tx, idSent, ofSent, at);
    await enterRefusals(tx, idSent, ofSent, at);
  }
}

async function countSent(tx: SiteDb, idSent: number, ended: readonly EndedSend[], at: Date): Promise<void> {
  // Locks the counters before the receipts are read: ends of a sent go one after the other.
  await tx.run(sql`select from ${tx.t.recipient_range} where id_sent = ${idSent} for no key update`);
  const byReader = new Map<number, EndedSend>();
  for (const one of ended)
    if (byReader.get(one.idSubscriber)?.state !== receiptStates.accepted) byReader.set(one.idSubscriber, one);
  const known = await receiptsAmong(tx, idSent, [...byReader.keys()]);
  const fresh = [...byReader.values()].filter(({ idSubscriber }) => !known.has(idSubscriber));
  const raised = [...byReader.values()].filter(({ idSubscriber, state }) => {
    const before = known.get(idSubscriber);
    return before !== undefined && before !== receiptStates.accepted && state === receiptStates.accepted;
  });
  if (fresh.length > 0)
    await recordReceipts(tx, {
      idSent,
      idSubscribers: fresh.map(({ idSubscriber }) => idSubscriber),
      states: fresh.map(({ state }) => state),
      codes: fresh.map(({ code }) => code),
      idProviders: fresh.map(({ idProvider }) => idProvider),
      times: fresh.map(() => at),
    });
  if (raised.length > 0)
    await raiseReceipts(
      tx,
      idSent,
      raised.map(({ idSubscriber }) => idSubscriber),
    );
  const change = (state: ReceiptState) =>
    fresh.filter((one) => one.state === state).length +
    (state === receiptStates.accepted ? raised.length : 0) -
    raised.filter(({ idSubscriber }) => known.get(idSubscriber) === state).length;
  await tx.run(sql`
    update ${tx.t.recipient_range}
    set nb_accepted = nb_accepted + ${change(receiptStates.accepted)},
      nb_refused = nb_refused + ${change(receiptStates.refused)},
      nb_expired = nb_expired + ${change(receiptStates.expired)},
      nb_uncertain = nb_uncertain + ${change(receiptStates.uncertain)},
      nb_cancelled = nb_cancelled + ${change(receiptStates.cancelled)}
    where id_sent = ${idSent}`);
  await tx.run(sql`
    with counted as (
      update ${tx.t.sent} set nb_address_to_send = nb_address_to_send + ${fresh.length}, ended_at = ${at}
      where id = ${idSent} returning id_job)
    update ${tx.t.job} j set ended_at = ${at} from counted where j.id = counted.id_job`);
}

async function enterRefusals(
  tx: SiteDb,
  idSent: number,
  ended: readonly EndedSend[],
  at: Date,
): Promise<void> {
  const rows = ended.flatMap(({ idSubscriber, refusal }) =>
    refusal ? [refusalRow(idSubscriber, refusal)] : [],
  );
  if (rows.length === 0) return;
  const source = sql`select ${idSent}::int as id_sent, ${JSON.stringify(rows)}::jsonb as refusals`;
  await tx.run(sql`with refused as (${insertRefusals(tx.t, source, at)}) select 1`);
  await addJob(tx, markRefused, { idSite: tx.site.id });
}
