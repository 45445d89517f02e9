import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { isErasedId } from '../subscribers/erasure-store.ts';
import type { Bounce, BounceClass, MailboxRefusal } from './bounce.ts';
import { receiptStates } from './receipt.ts';

/** Maximum length of a stored diagnostic, in characters. */
const maxDiagnostic = 2_000;

/** Below the lease of a range, which a process that waits for the lock holds. */
const longestStandstill = '10s';

/** A code of three digits that is no part of an address or of an enhanced status. */
const codePattern = '(?:^|[^0-9.])([45][0-9]{2})(?:[^0-9.]|$)';

/** The SMTP code in the words of a mail server, or null. @param text an SQL expression */
export const codeIn = (text: Sql): Sql => sql`substring(left(${text}, 200) from ${codePattern})`;

/** The part of a mail server's words that stays of an erased person: the code, or ''. @param text in SQL */
export const wordsOfErased = (text: Sql): Sql => sql`coalesce(${codeIn(text)}, '')`;

/**
 * The words of a mail server as they are stored about a recipient.
 * @param id, text SQL expressions
 */
export const storedWords = (t: SiteTables, id: Sql, text: Sql): Sql =>
  sql`case when ${isErasedId(t, id)} then ${wordsOfErased(text)} else ${text} end`;

/**
 * Records a bounce or a complaint, once per report: mail systems may deliver a report again. `settleBounce` in
 * receipt-store.ts must follow at the end of the same transaction.
 * @returns whether it was new.
 */
export async function recordBounce(db: SiteDb, bounce: Bounce): Promise<boolean> {
  const diagnostic = sql`${storable(bounce.diagnostic)}::text`;
  return db.touches(sql`
    insert into ${db.t.bounce} (id_sent, id_subscriber, class, status, diagnostic, at, digest)
    values (${bounce.idSent}, ${bounce.idSubscriber}, ${bounce.class}, ${bounce.status},
      ${storedWords(db.t, sql`${bounce.idSubscriber}::int`, diagnostic)}, ${bounce.at}, ${bounce.digest})
    on conflict (digest) do nothing`);
}

/**
 * Takes the lock on the receipts and bounces of a sending until the transaction ends: exclusive for recording receipts,
 * shared for recording bounces. Requires read committed, so that later statements see what was committed before.
 * PostgreSQL ends the transaction of a process that is stalled or cut off while it has the lock. Otherwise ranges could
 * not be closed, and commits of the site that renew their leases would wait for them.
 */
export async function lockBounces(tx: SiteDb, idSent: number, isShared = false): Promise<void> {
  await tx.run(sql`select set_config('idle_in_transaction_session_timeout', ${longestStandstill}, true)`);
  await tx.run(advisoryLock(`bounces of ${tx.site.schema} ${idSent}`, isShared));
}

/** Marks the bounces of these recipients: a relay accepted the message. The caller holds `lockBounces`. */
export async function markAccepted(
  tx: SiteDb,
  idSent: number,
  idSubscribers: readonly number[],
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.bounce} set is_accepted = true
    where id_sent = ${idSent} and id_subscriber = any(${idSubscribers}::int[]) and not is_accepted`);
}

/**
 * Marks all bounces again from the receipts, in case the marks are wrong. Locks one sending at a time, only while its
 * bounces are marked.
 */
export async function remarkAccepted(db: SiteDb): Promise<void> {
  const sents = await db.values<number>(sql`
    select distinct id_sent as id from ${db.t.bounce} order by id`);
  for (const id of sents) {
    await db.transaction(async (tx) => {
      await lockBounces(tx, id);
      // From each row of receipts to the bounces within it, as in their migration; offset 0 keeps this order.
      await tx.run(sql`
        update ${tx.t.bounce} set is_accepted = not is_accepted
        where id_sent = ${id} and is_accepted <> (id in (
          select b.id
          from ${tx.t.receipt_range} r cross join lateral (
            select id, id_subscriber
            from ${tx.t.bounce}
            where id_sent = r.id_sent and id_subscriber between r.first_subscriber and r.last_subscriber
            offset 0) b
          where r.id_sent = ${id}
            and r.states[array_position(r.subscribers, b.id_subscriber)] = ${receiptStates.accepted}))`);
    });
  }
}

/** A refusal as `insertRefusals` reads it from JSON; the names are short because each commit contains it. */
export function refusalRow(idSubscriber: number, refusal: MailboxRefusal): object {
  return { i: idSubscriber, c: refusal.class, s: refusal.status, d: storable(refusal.diagnostic) };
}

/**
 * A statement that records refusals, part of the statement that commits their outcomes. A refusal is identified by its
 * sending and recipient: recording it again changes nothing.
 * @param source a query of (id_sent int, refusals jsonb), the latter a list of `refusalRow`s or null.
 */
export function insertRefusals(t: SiteTables, source: Sql, at: Date): Sql {
  return sql`
    insert into ${t.bounce} (id_sent, id_subscriber, class, status, diagnostic, at, digest, is_refusal, is_applied)
    select source.id_sent, b.i, b.c, b.s, ${storedWords(t, sql`b.i`, sql`b.d`)}, ${at}::timestamptz,
      sha256(convert_to('refusal ' || source.id_sent || ' ' || b.i, 'UTF8')), true, false
    from (${source}) source, jsonb_to_recordset(source.refusals) as b (i int, c smallint, s text, d text)
    on conflict (digest) do nothing`;
}

/** The number of mailboxes that relays refused permanently among the recipients of these sendings. */
export async function countRefusedMailboxes(db: SiteDb, idsSent: readonly number[]): Promise<number> {
  return db.value<number>(sql`
    select count(*)::int as count from ${db.t.bounce} where id_sent = any(${idsSent}::int[]) and is_refusal`);
}

/** A refusal that its subscriber's row does not show yet. */
export interface UnappliedRefusal {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly class: BounceClass;
  readonly at: Date;
}

/**
 * Takes up to `most` refusals whose subscribers must be marked; the caller marks them in this transaction, otherwise
 * they are taken again. Locks them, and skips those that another transaction has taken.
 */
export async function takeUnappliedRefusals(tx: SiteDb, most: number): Promise<UnappliedRefusal[]> {
  return tx.rows<UnappliedRefusal>(sql`
    with taken as materialized (
      select id from ${tx.t.bounce} where not is_applied order by id limit ${most} for update skip locked)
    update ${tx.t.bounce} b set is_applied = true from taken where b.id = taken.id
    returning b.id_sent as "idSent", b.id_subscriber as "idSubscriber", b.class, b.at`);
}

/** Whether any refusal waits for `takeUnappliedRefusals`. */
export async function hasUnappliedRefusals(db: SiteDb): Promise<boolean> {
  return db.value<boolean>(sql`
    select exists (select from ${db.t.bounce} where not is_applied) as has`);
}

// PostgreSQL cannot store NUL, and the text comes from outside.
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, maxDiagnostic);
}
