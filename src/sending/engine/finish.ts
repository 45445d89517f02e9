import { countRefusedMailboxes } from '../../activity/bounce-store.ts';
import { markRefused } from '../../activity/mark-refused.ts';
import { type ReceiptState, receiptStates } from '../../activity/receipt.ts';
import { recordReceipts } from '../../activity/receipt-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { addTask } from '../../platform/tasks.ts';
import { findJob, tryMoveJob } from '../job-store.ts';
import { addDeliveryNotice } from '../tasks/notify-delivery.ts';
import { type Holder, type LeasedRange, readLog, takeRanges } from './lease.ts';
import { type FinalState, foldLog } from './outcomes.ts';

/** A range of which every recipient has a final state. */
export interface DoneRange extends Omit<LeasedRange, 'lastCommit' | 'resumedAt'> {
  readonly finals: ReadonlyMap<number, FinalState>;
}

/** Returns the provider of an email domain in lower case; 0 if it is not listed. */
export type ProviderOf = (domain: string) => number;

/**
 * Turns a done range into receipts, in one transaction: either its log counts or its receipts, never both or neither.
 * Returns false if the range is no longer ours, or was already closed (by a commit whose reply was lost).
 */
export async function closeRange(
  db: SiteDb,
  range: DoneRange,
  providerOf: ProviderOf,
  at: Date,
): Promise<boolean> {
  const ids = [...range.subscribers];
  const finals = ids.map((id) => range.finals.get(id));
  if (finals.some((final) => final === undefined)) throw new Error('A range is closed with open recipients');
  const states = finals.map((final) => final!.state);
  const idProviders = await providersOf(db, ids, providerOf);
  return db.transaction(async (tx) => {
    const count = (state: ReceiptState) => states.filter((one) => one === state).length;
    // Locks the range; the token shuts out a process whose lease has run out.
    const closed = await tx.run(sql`
      update ${tx.t.recipient_range}
      set is_done = true, lease_owner = null, lease_until = null, not_before = null, limited_by = null,
        nb_accepted = ${count(receiptStates.accepted)}, nb_refused = ${count(receiptStates.refused)},
        nb_expired = ${count(receiptStates.expired)}, nb_uncertain = ${count(receiptStates.uncertain)},
        nb_cancelled = ${count(receiptStates.cancelled)}
      where id_job = ${range.idJob} and number = ${range.number} and lease_epoch = ${range.epoch} and not is_done`);
    if (closed === 0) return false;
    const codes = finals.map((final) => final!.code);
    const known = await timesOf(tx, range);
    const times = ids.map((id) => known.get(id) ?? at);
    const receipts = { idSent: range.idSent, idSubscribers: ids, states, codes, idProviders, times };
    const written = await recordReceipts(tx, receipts);
    if (written !== ids.length)
      throw new Error(`Range ${range.number}: ${ids.length - written} receipts were there`);
    await tx.run(sql`
      delete from ${tx.t.send_log} where id_job = ${range.idJob} and range_number = ${range.number}`);
    return true;
  });
}

/** Reads from the log when outcomes became final: a receipt keeps that time even if the range closes hours later. */
async function timesOf(tx: SiteDb, range: DoneRange): Promise<Map<number, Date>> {
  const rows = await tx.rows<{ at: Date; ids: number[] }>(sql`
    select l.at, array_agg(o.id) as ids
    from ${tx.t.send_log} l, unnest(l.outcomes, l.states) o (id, state)
    where l.id_job = ${range.idJob} and l.range_number = ${range.number}
      and o.state = any(${Object.values(receiptStates)}::smallint[])
    group by l.id, l.at
    order by l.id desc`);
  // The newest first, so that the first final state, which is never changed, comes last and stays.
  return new Map(rows.flatMap(({ at, ids }) => ids.map((id) => [id, at] as const)));
}

async function providersOf(db: SiteDb, ids: readonly number[], providerOf: ProviderOf): Promise<number[]> {
  const rows = await db.rows<{ id: number; domain: string | null }>(
    sql`select fld0 as id, fld37 as domain from ${db.t.subscriber} where fld0 = any(${ids}::int[])`,
  );
  const domains = new Map(rows.map((row) => [row.id, row.domain]));
  return ids.map((id) => providerOf(domains.get(id) ?? ''));
}

async function hasOpenRanges(db: SiteDb, idJob: number): Promise<boolean> {
  return db.has(sql`select from ${db.t.recipient_range} where id_job = ${idJob} and not is_done limit 1`);
}

/**
 * Ends a job whose ranges are all done: Finished, or FinishedWithErrors if recipients expired, are uncertain, or were
 * refused for another reason than their mailbox; their numbers are shown to the job's users. Nonexistent and full
 * mailboxes are a normal result. Returns false if ranges are open or the job is not sending. Several processes may call
 * it at a time: the change of state is a compare-and-set.
 */
export async function finishJob(db: SiteDb, idJob: number, at: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (await hasOpenRanges(tx, idJob)) return false;
    const { idsSent, ...sums } = await tx.one<Omit<Failures, 'dead'> & { idsSent: number[] }>(sql`
      select coalesce(sum(nb_refused), 0) as refused, coalesce(sum(nb_expired), 0) as expired,
        coalesce(sum(nb_uncertain), 0) as uncertain, coalesce(array_agg(distinct id_sent), '{}') as "idsSent"
      from ${tx.t.recipient_range} where id_job = ${idJob}`);
    const dead = sums.refused > 0 ? await countRefusedMailboxes(tx, idsSent) : 0;
    const failures = { ...sums, refused: sums.refused - dead, dead };
    // Null, because an earlier reason to wait no longer matters.
    const errorInfo = failureText(failures) || null;
    const state = errorInfo ? 'FinishedWithErrors' : 'Finished';
    if (!(await tryMoveJob(tx, idJob, ['Sending'], state, { endedAt: at, errorInfo }))) return false;
    await endSents(tx, idJob, at);
    const job = await findJob(tx, idJob);
    if (job) await addDeliveryNotice(tx, job, at);
    // Added now and not a minute later: the next campaign may begin, and must know the nonexistent mailboxes.
    if (dead > 0) await addTask(tx, markRefused, { idSite: tx.site.id });
    return true;
  });
}

interface Failures {
  /** Refused for another reason than their mailbox. */
  readonly refused: number;
  readonly expired: number;
  readonly uncertain: number;
  /** Rejected because their mailbox does not exist, or is full. */
  readonly dead: number;
}

const failureWords = {
  refused: 'refused (not for the mailbox: the sender, the content, a policy)',
  expired: 'expired (the relay kept deferring them until the time limit)',
  uncertain: 'uncertain (handed over, but the reply was lost)',
} as const;

/** Returns the numbers of failures with their reasons; '' if there are none but nonexistent or full mailboxes. */
export function failureText({ dead, ...failures }: Failures): string {
  const parts = (['refused', 'expired', 'uncertain'] as const)
    .filter((name) => failures[name] > 0)
    .map((name) => `${failures[name]} ${failureWords[name]}`);
  if (parts.length > 0 && dead > 0) parts.push(`besides ${dead} bounced, which is no error`);
  return parts.join(', ');
}

/** Returns a job's state and the numbers of its outcomes, for the log. Recipients of open ranges are not counted. */
export async function resultOfJob(db: SiteDb, idJob: number): Promise<Readonly<Record<string, unknown>>> {
  return db.one(sql`
    select j.id_campaign as "idCampaign", j.is_test as "isTest", j.state,
      coalesce(sum(r.nb_accepted), 0)::int as accepted, coalesce(sum(r.nb_refused), 0)::int as refused,
      coalesce(sum(r.nb_expired), 0)::int as expired, coalesce(sum(r.nb_uncertain), 0)::int as uncertain,
      coalesce(sum(r.nb_cancelled), 0)::int as cancelled
    from ${db.t.job} j left join ${db.t.recipient_range} r on r.id_job = j.id
    where j.id = ${idJob}
    group by j.id`);
}

async function endSents(tx: SiteDb, idJob: number, at: Date): Promise<void> {
  await tx.run(sql`update ${tx.t.sent} set ended_at = ${at} where id_job = ${idJob} and ended_at is null`);
}

/** Ranges of a stopped job that are closed before other jobs have their turn: 16,000 recipients at most. */
const rangesAtOnce = 16;

/**
 * Gives some remaining recipients of a stopped job a final state: cancelled, or uncertain if an earlier holder had them
 * in flight. It stops after some ranges, because thousands take minutes in which other jobs could not begin. Ranges
 * that another process still holds are left to a later call.
 * @returns `over` if no range is open, `more` if the next call can continue, `held` if it must wait
 */
export async function cancelSome(
  db: SiteDb,
  holder: Holder,
  idJob: number,
  providerOf: ProviderOf,
  at: Date,
): Promise<'over' | 'more' | 'held'> {
  // Including recipients that wait for a retry, or for the winner of an A/B test.
  const ranges = await takeRanges(db, holder, idJob, rangesAtOnce, { at: 'infinity' });
  for (const range of ranges) {
    const { finals, unknown } = foldLog(await readLog(db, idJob, range.number));
    for (const id of range.subscribers) {
      if (finals.has(id)) continue;
      const state = unknown.has(id) ? receiptStates.uncertain : receiptStates.cancelled;
      finals.set(id, { state, code: 0 });
    }
    await closeRange(db, { ...range, finals }, providerOf, at);
  }
  if (await hasOpenRanges(db, idJob)) return ranges.length > 0 ? 'more' : 'held';
  await endSents(db, idJob, at);
  return 'over';
}
