import type { MailboxRefusal } from '../activity/bounce.ts';
import { insertRefusals, refusalRow } from '../activity/bounce-store.ts';
import { markRefused } from '../activity/mark-refused.ts';
import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import { raiseReceipts, receiptsAmong, recordReceipts } from '../activity/receipt-store.ts';
import { currentEpoch, refuseWhileHeld } from '../installation/installation-store.ts';
import type { Attachment } from '../mail/message-source.ts';
import type { Connection } from '../platform/db/database.ts';
import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import { hasEnded } from '../platform/process-name.ts';
import { addTask } from '../platform/tasks.ts';
import { mayReceive } from '../subscribers/eligibility.ts';
import { isErased } from '../subscribers/erasure-store.ts';
import type { FrozenJob } from './frozen-job.ts';
import { wakeEngines } from './job-store.ts';
import { type HeldMessage, type SendOutcome, singleStates } from './single-message.ts';

/**
 * Condition: no message may be forwarded to the address, because its owner blocked forwards or is not eligible. A
 * deleted subscriber is judged by their last state: deletion does not undo an unsubscription or a complaint. Nothing is
 * forwarded to an erased person, unless they are a subscriber again.
 */
export function isBarred(t: SiteTables, hash: Sql, email: Sql): Sql {
  const hasAddress = sql`lower(fld1) = lower(${email})`;
  return sql`(exists (select from ${t.forward_block} b where b.friend_hash = ${hash})
    or exists (select from ${t.subscriber} where ${hasAddress} and not ${mayReceive()})
    or not exists (select from ${t.subscriber} where ${hasAddress}) and (${isErased(t, email)} or exists (
      select from (
        select (fields ->> '7')::int as fld7, (fields ->> '44')::int as fld44
        from ${t.archived_subscriber} where lower(email) = lower(${email})
        order by id desc limit 1) archived
      where not ${mayReceive()})))`;
}

export interface EndedSend {
  readonly id: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly state: ReceiptState;
  readonly code: number;
  readonly idProvider: number;
  readonly refusal?: MailboxRefusal | undefined;
}

/**
 * Adds single sends to the receipts, range and bounces of their sending, in the transaction that ends them. All
 * figures, filters and lists therefore count them. As everywhere, a subscriber counts once for a sending; an accepted
 * message takes precedence.
 */
export async function countSends(tx: SiteDb, ended: readonly EndedSend[], at: Date): Promise<void> {
  // In one order: otherwise two processes that end messages of the same sendings could deadlock.
  for (const idSent of [...new Set(ended.map((one) => one.idSent))].sort((a, b) => a - b)) {
    const ofSent = ended.filter((one) => one.idSent === idSent);
    await countSent(tx, idSent, ofSent, at);
    const refusals = ofSent.flatMap(({ idSubscriber: id, refusal }) =>
      refusal ? [refusalRow(id, refusal)] : [],
    );
    if (refusals.length === 0) continue;
    const source = sql`select ${idSent}::int as id_sent, ${JSON.stringify(refusals)}::jsonb as refusals`;
    await tx.run(sql`with refused as (${insertRefusals(tx.t, source, at)}) select 1`);
    await addTask(tx, markRefused, { idSite: tx.site.id });
  }
}

async function countSent(tx: SiteDb, idSent: number, ended: readonly EndedSend[], at: Date): Promise<void> {
  // Locks the counters before the receipts are read, so that transactions that end messages of a sending run one after
  // the other.
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
  const idsRaised = raised.map(({ idSubscriber }) => idSubscriber);
  if (raised.length > 0) await raiseReceipts(tx, idSent, idsRaised);
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

const { pending, handingOver, uncertain, accepted, refused } = singleStates;

/** Records that the site has single messages, in the transaction that adds them. */
export async function offerSingles(tx: SiteDb): Promise<void> {
  // A shared lock on the hint. A process that removes it waits for these transactions, or comes before them.
  const hint = sql`select from facteur.single_message_site where id_site = ${tx.site.id} for key share`;
  if (!(await tx.has(hint)))
    await tx.run(sql`
      insert into facteur.single_message_site (id_site) values (${tx.site.id})
      on conflict (id_site) do update set id_site = excluded.id_site`);
  await wakeEngines(tx);
}

/** The sites that may have pending single messages. */
export async function sitesWithSingles(control: Connection): Promise<number[]> {
  return control.values<number>(sql`select id_site as id from facteur.single_message_site order by id_site`);
}

/** Removes the hint if the site has no single message without a final state. */
export async function withdrawSingles(db: SiteDb): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`select from facteur.single_message_site where id_site = ${db.site.id} for update`);
    // A separate statement, so that it sees every message that was added before the lock was granted.
    if (!(await tx.has(sql`select from ${tx.t.single_message} where ${isOpen} limit 1`)))
      await tx.run(sql`delete from facteur.single_message_site where id_site = ${db.site.id}`);
  });
}

const isOpen = sql`state >= ${pending}`;
const until = (leaseS: number): Sql => sql`clock_timestamp() + ${leaseS} * interval '1 second'`;
const isLapsed = sql`(lease_until is null or lease_until < clock_timestamp())`;

/**
 * Leases up to `count` due messages that no process holds. SKIP LOCKED passes over messages that another process is
 * leasing. Leases follow the database's clock.
 */
export async function takeSingles(
  db: SiteDb,
  at: Date,
  { owner, leaseS }: { readonly owner: string; readonly leaseS: number },
  count: number,
): Promise<HeldMessage[]> {
  return db.rows<HeldMessage>(sql`
    with chosen as (
      select id from ${db.t.single_message}
      where state = ${pending} and next_at <= ${at} and ${isLapsed}
      order by next_at, id
      limit ${count}
      for update skip locked),
    held as (
      update ${db.t.single_message} m
      set lease_number = m.lease_number + 1, lease_owner = ${owner}, lease_until = ${until(leaseS)}
      from chosen c where m.id = c.id
      returning m.*)
    select held.id, held.id_sent as "idSent", held.id_subscriber as "idSubscriber", lease_number as lease, deferrals,
      created_at as "createdAt", epoch,
      case when f.id_message is not null then jsonb_build_object(
        'kind', 'forward', 'friend', friend, 'name', coalesce(name, ''), 'language', language,
        'isBarred', ${isBarred(db.t, sql`f.friend_hash`, sql`f.friend`)})
      else jsonb_build_object(
        'kind', 'send', 'isTransactional', is_transactional, 'data', data, 'clickTracker', click_tracker,
        'hasOwnParts', frozen is not null or attachment_names is not null) end as of
    from held
      left join ${db.t.forward} f on f.id_message = held.id
      left join ${db.t.single_send} s on s.id_message = held.id
    order by held.id`);
}

/** Ends the leases of ended processes of this machine. */
export async function freeSinglesOfEnded(db: SiteDb): Promise<void> {
  const owners = await db.values<string>(sql`
    select distinct lease_owner as owner from ${db.t.single_message}
    where ${isOpen} and lease_until >= clock_timestamp() and lease_owner is not null`);
  const ended = owners.filter(hasEnded);
  if (ended.length === 0) return;
  await db.run(sql`
    update ${db.t.single_message} set lease_until = null
    where ${isOpen} and lease_owner = any(${ended}::text[])`);
}

/** Renews leases. A message that was released stays released, even if its holder does not know yet. */
export async function keepSingles(db: SiteDb, held: readonly HeldMessage[], leaseS: number): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} m set lease_until = ${until(leaseS)}
    from unnest(${held.map(({ id }) => id)}::int[], ${held.map(({ lease }) => lease)}::int[]) h (id, lease)
    where m.id = h.id and m.lease_number = h.lease and m.lease_until is not null and ${isOpen}`);
}

/** A message whose final dot is about to be sent, and the provider of its address. */
export interface Intent {
  readonly held: HeldMessage;
  readonly provider: number;
}

/**
 * Commits the intents to send final dots, all in one commit.
 * @returns the ids of messages whose dot may be sent; the others belong to another process or have ended
 */
export async function intendSingles(
  db: SiteDb,
  intents: readonly Intent[],
  leaseS: number,
): Promise<ReadonlySet<number>> {
  return new Set(
    await db.values<number>(sql`
    update ${db.t.single_message} m set state = ${handingOver}, lease_until = ${until(leaseS)},
      id_provider = i.id_provider
    from unnest(${intents.map(({ held }) => held.id)}::int[], ${intents.map(({ held }) => held.lease)}::int[],
      ${intents.map(({ provider }) => provider)}::int[]) i (id, lease, id_provider)
    where m.id = i.id and m.lease_number = i.lease and m.state = ${pending}
    returning m.id`),
  );
}

/** Releases a message that the relay deferred with a reply code. */
export async function deferSingle(db: SiteDb, held: HeldMessage, nextAt: Date, code: number): Promise<void> {
  await returnSingle(db, held, nextAt, sql`, deferrals = deferrals + 1, code = ${code}`);
}

/** Releases a message until `nextAt`, its dot not sent. */
export async function returnSingle(
  db: SiteDb,
  { id, lease }: HeldMessage,
  nextAt: Date,
  more: Sql = empty,
): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} set state = ${pending}, lease_until = null, next_at = ${nextAt} ${more}
    where id = ${id} and lease_number = ${lease} and ${isOpen}`);
}

/** The final state of a message. */
export interface Ending {
  readonly held: HeldMessage;
  readonly state: ReceiptState;
  /** SMTP reply code; 0 means none. */
  readonly code: number;
  readonly refusal?: MailboxRefusal | undefined;
}

/**
 * Ends messages, all in one commit. A reply for a message that was declared uncertain in the meantime is recorded too.
 * A message that another process holds, or that has its reply, does not change.
 */
export async function endSingles(db: SiteDb, endings: readonly Ending[], at: Date): Promise<void> {
  const of = <T>(value: (ending: Ending) => T) => endings.map(value);
  await db.transaction(async (tx) => {
    const which = sql`
      from unnest(${of(({ held }) => held.id)}::int[], ${of(({ held }) => held.lease)}::int[],
        ${of(({ state }) => state)}::smallint[], ${of(({ code }) => code)}::smallint[]) e (id, lease, state, code)
      where m.id = e.id and m.lease_number = e.lease
        and (m.state >= ${pending} or m.state = ${uncertain} and e.state = any(${[accepted, refused]}::smallint[]))`;
    const ended = await end(tx, which, sql`state = e.state, code = e.code, ended_at = ${at}`);
    const refusals = new Map(endings.map(({ held, refusal }) => [held.id, refusal]));
    const sends = ended.map((one) => ({ ...one, refusal: refusals.get(one.id) }));
    await countSends(tx, sends, at);
  });
}

/** Declares messages uncertain whose holder died before the reply. */
export async function endLostSingles(db: SiteDb, at: Date): Promise<void> {
  const isLost = sql`state = ${handingOver} and ${isLapsed}`;
  if (!(await db.has(sql`select from ${db.t.single_message} where ${isLost} limit 1`))) return;
  await db.transaction(async (tx) => {
    const ended = await end(tx, sql`where ${isLost}`, sql`state = ${uncertain}, ended_at = ${at}`);
    await countSends(tx, ended, at);
  });
}

/** Ends messages and deletes the data that only building them needed. @returns the single sends among them */
async function end(tx: SiteDb, which: Sql, change: Sql): Promise<EndedSend[]> {
  return tx.rows<EndedSend>(sql`
    with ended as (
      update ${tx.t.single_message} m set ${change}, lease_until = null ${which}
      returning m.id, m.guid, m.id_sent, m.id_subscriber, m.state, m.code, m.id_provider),
    forwards as (
      update ${tx.t.forward} f set friend = null, name = null from ended where f.id_message = ended.id),
    sends as (
      update ${tx.t.single_send} s set attachment_names = null, attachment_contents = null
      from ended where s.id_message = ended.id and s.attachment_names is not null)
    select id, id_sent as "idSent", id_subscriber as "idSubscriber", state, code, id_provider as "idProvider"
    from ended where guid is not null`);
}

/** A new single send. */
export interface NewSend {
  /** The UUID that the caller gets. */
  readonly guid: string;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly isTransactional: boolean;
  readonly data: ReadonlyMap<string, string>;
  readonly clickTracker: string;
  /** The send's own message, if it overrides the job's. */
  readonly frozen: FrozenJob | undefined;
  readonly attachments: readonly Attachment[];
  /** Undefined for a call without an idempotency key. */
  readonly key: RepeatKey | undefined;
  readonly at: Date;
}

/** An idempotency key and the body that it was used with. */
export interface RepeatKey {
  readonly key: string;
  readonly digest: string;
}

/** The send of an earlier call with the same key. */
export async function findByKey(
  db: SiteDb,
  key: string,
): Promise<{ guid: string; digest: string } | undefined> {
  return db.first(sql`
    select guid, request_digest as digest from ${db.t.single_message} where idempotency_key = ${key}`);
}

/**
 * Stores sends and offers them to the engine, in one transaction. A send with a used key is left out. If two calls use
 * a key at once, PostgreSQL lets the second wait for the first one's commit.
 * @returns the ids (`guid`) of the stored sends
 * @throws 409 while sending is held
 */
export async function addSends(db: SiteDb, sends: readonly NewSend[]): Promise<ReadonlySet<string>> {
  const rows = sends.map(({ attachments, data, key, at, ...send }) => ({
    ...send,
    data: Object.fromEntries(data),
    key: key?.key,
    digest: key?.digest,
    at: at.toISOString(),
  }));
  return db.transaction(async (tx) => {
    await refuseWhileHeld(tx);
    const epoch = (await currentEpoch(tx))?.id ?? null;
    // In order of the keys: otherwise two batches with the same keys could deadlock.
    const stored = await tx.values<string>(sql`
      with given as (
        select *
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) g (guid uuid, "idSent" int, "idSubscriber" int,
          "isTransactional" boolean, data jsonb, "clickTracker" text, frozen jsonb, key text, digest text,
          at timestamptz)
        order by key),
      added as (
        insert into ${tx.t.single_message}
          (id_sent, id_subscriber, state, created_at, epoch, next_at, guid, idempotency_key, request_digest)
        select "idSent", "idSubscriber", ${singleStates.pending}::smallint, at, ${epoch}::text, at, guid, key, digest
        from given
        on conflict (idempotency_key) where idempotency_key is not null do nothing
        returning id, guid),
      parts as (
        insert into ${tx.t.single_send} (id_message, is_transactional, data, click_tracker, frozen)
        select added.id, "isTransactional", data, "clickTracker", frozen from added join given using (guid))
      select guid from added`);
    const guids = new Set(stored);
    for (const { guid, attachments } of sends)
      if (attachments.length > 0 && guids.has(guid)) await addFiles(tx, guid, attachments);
    if (guids.size > 0) await offerSingles(tx);
    return guids;
  });
}

async function addFiles(tx: SiteDb, guid: string, attachments: readonly Attachment[]): Promise<void> {
  await tx.run(sql`
    update ${tx.t.single_send}
    set attachment_names = ${attachments.map(({ name }) => name)}::text[],
      attachment_contents = ${attachments.map(({ content }) => content)}::bytea[]
    where id_message = (select id from ${tx.t.single_message} where guid = ${guid}::uuid)`);
}

/** The parts of a message that are not in its job, by its id. */
export async function ownPartsOf(db: SiteDb, id: number) {
  const row = await db.first<{
    frozen: FrozenJob | null;
    names: string[] | null;
    contents: Buffer[] | null;
  }>(sql`
    select frozen, attachment_names as names, attachment_contents as contents
    from ${db.t.single_send} where id_message = ${id}`);
  if (!row) return undefined;
  const { frozen, names, contents } = row;
  return { frozen, attachments: (names ?? []).map((name, i) => ({ name, content: contents![i]! })) };
}

/** The own parts of messages without their files. Deleted parts are left out. */
export async function shownParts(db: SiteDb, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await db.rows<{ frozen: FrozenJob | null; data: Readonly<Record<string, string>> }>(sql`
    select frozen, data from ${db.t.single_send} where id_message = any(${ids}::int[])`);
  return rows.map(({ frozen, data }) => ({ frozen, data: new Map(Object.entries(data)) }));
}

/** The row of a single send, by its UUID. */
export async function findSend(db: SiteDb, guid: string): Promise<SendOutcome | undefined> {
  return db.first<SendOutcome>(sql`
    select m.guid as id, j.id_campaign as "idCampaign", j.id as "idJob", m.id_sent as "idSent",
      m.id_subscriber as "idSubscriber", m.state, m.code, m.deferrals as "nbDeferrals",
      m.created_at as "creationDate", case when m.state = ${pending} then m.next_at end as "nextAttemptDate",
      m.ended_at as "endDate"
    from ${db.t.single_message} m join ${db.t.sent} s on s.id = m.id_sent join ${db.t.job} j on j.id = s.id_job
    where m.guid = ${guid}::uuid`);
}

/** Deletes the idempotency keys of calls before an instant. */
export async function forgetKeys(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} set idempotency_key = null, request_digest = null
    where idempotency_key is not null and created_at < ${before}`);
}

/** Deletes the own parts of single sends that ended before an instant. */
export async function forgetParts(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`
    delete from ${db.t.single_send} s using ${db.t.single_message} m
    where m.id = s.id_message and m.guid is not null and m.ended_at < ${before}`);
}
