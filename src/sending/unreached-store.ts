import { bounceClasses } from '../activity/bounce.ts';
import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { RecipientResult } from './unreached.ts';

/** Ranges of recipients whose lists are unfolded at once: 50,000 recipients. */
const rangesAtOnce = 50;
const lastId = 2_147_483_647;

/**
 * Recipients of one sent in some final states, by id. A range that is not done is read from its log, so the list is
 * exact while the job is still running. A bounded number of ranges is unfolded at once, however many recipients there
 * are.
 * @param of `after`: only larger subscriber ids. `limit`: rows at most
 */
export async function recipientsInStates(
  db: SiteDb,
  idSent: number,
  of: { readonly states: readonly ReceiptState[]; readonly after: number; readonly limit: number },
): Promise<RecipientResult[]> {
  const found: RecipientResult[] = [];
  let { after } = of;
  while (found.length < of.limit) {
    const end = await endOfRanges(db, idSent, of.states, after);
    const part = { states: of.states, after, end: end ?? lastId, limit: of.limit - found.length };
    found.push(
      ...(await db.rows<RecipientResult & Record<string, unknown>>(recipientsQuery(db, idSent, part))),
    );
    if (end === undefined) break;
    after = end;
  }
  return found;
}

/** The largest id up to which the next ranges hold every requested recipient; undefined when they are the last ones. */
async function endOfRanges(
  db: SiteDb,
  idSent: number,
  states: readonly ReceiptState[],
  after: number,
): Promise<number | undefined> {
  const row = await db.first<{ next: number }>(sql`
    select next from (
      select first_subscriber as next from ${db.t.receipt_range}
      where id_sent = ${idSent} and last_subscriber > ${after} and states && ${states}::smallint[]
      union all
      select subscribers[1] from ${db.t.recipient_range} r
      where ${isOpenOf(db, idSent)} and subscribers[cardinality(subscribers)] > ${after}
        and exists (
          select from ${db.t.send_log} l
          where l.id_job = r.id_job and l.range_number = r.number and l.states && ${states}::smallint[])) ranges
    where next > ${after}
    order by next
    limit 1 offset ${rangesAtOnce}`);
  return row && row.next - 1;
}

const isOpenOf = (db: SiteDb, idSent: number): Sql => sql`
  r.id_job = (select id_job from ${db.t.sent} where id = ${idSent}) and r.id_sent = ${idSent} and not r.is_done`;

function recipientsQuery(
  db: SiteDb,
  idSent: number,
  of: {
    readonly states: readonly ReceiptState[];
    readonly after: number;
    readonly end: number;
    readonly limit: number;
  },
): Sql {
  const finals = Object.values(receiptStates);
  const isAsked = sql`
    id_subscriber > ${of.after} and id_subscriber <= ${of.end} and state = any(${of.states}::smallint[])`;
  return sql`
    with result as (
      select one.id_subscriber, one.state, one.code, r.first_at + one.delay * interval '1 millisecond' as at
      from ${db.t.receipt_range} r,
        unnest(r.subscribers, r.states, r.codes, r.delays) one (id_subscriber, state, code, delay)
      where r.id_sent = ${idSent} and r.last_subscriber > ${of.after} and r.first_subscriber <= ${of.end} and ${isAsked}
      union all
      select * from (
        -- A final state never changes: only the first one in the log counts.
        select distinct on (o.id_subscriber) o.id_subscriber, o.state, o.code, l.at
        from ${db.t.recipient_range} r
          join ${db.t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
          unnest(l.outcomes, l.states, l.codes) o (id_subscriber, state, code)
        where ${isOpenOf(db, idSent)} and o.state = any(${finals}::smallint[])
        order by o.id_subscriber, l.id) logged
      where ${isAsked}),
    page as (select * from result order by id_subscriber limit ${of.limit})
    select p.id_subscriber as "idSubscriber", s.fld1 as email, p.state, p.code,
      coalesce(b.class = ${bounceClasses.hard}, false) as "isDeadMailbox", coalesce(b.status, f.status) as status,
      coalesce(b.diagnostic, f.reply) as reply, p.at
    from page p
      left join ${db.t.subscriber} s on s.fld0 = p.id_subscriber
      left join ${db.t.bounce} b
        on b.id_sent = ${idSent} and b.id_subscriber = p.id_subscriber and b.is_refusal
      left join ${db.t.delivery_failure} f on f.id_sent = ${idSent} and f.id_subscriber = p.id_subscriber
    order by p.id_subscriber`;
}
