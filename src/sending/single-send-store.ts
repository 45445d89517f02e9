import { currentEpoch, refuseWhileHeld } from '../installation/installation-store.ts';
import type { Attachment } from '../mail/message-source.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import {
  Closed,
  Count,
  Int32,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import type { FrozenJob } from './frozen-job.ts';
import { singleStates } from './single-message.ts';
import { offerSingles } from './single-message-store.ts';

/** A single send as it is accepted. */
export interface NewSend {
  /** What its caller knows it by: a UUID. */
  readonly guid: string;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly isTransactional: boolean;
  /** By name in lower case. */
  readonly data: ReadonlyMap<string, string>;
  readonly clickTracker: string;
  /** All that it is made of, when that is not what its job was frozen with. */
  readonly frozen: FrozenJob | undefined;
  readonly attachments: readonly Attachment[];
  /** Undefined: the call may not be repeated. */
  readonly key: RepeatKey | undefined;
  readonly at: Date;
}

/** What shows that a call is the same one again. */
export interface RepeatKey {
  /** As the caller chose it, for one site. */
  readonly key: string;
  /** Digest of the body. */
  readonly digest: string;
}

/** A send that a call with a key has made already. */
export interface KnownSend {
  readonly guid: string;
  readonly digest: string;
}

/** The send that a key was used for, if any. */
export async function findByKey(db: SiteDb, key: string): Promise<KnownSend | undefined> {
  return db.first<KnownSend & Record<string, unknown>>(sql`
    select guid, request_digest as digest from ${db.t.single_message} where idempotency_key = ${key}`);
}

/**
 * Stores sends with what has them sent, in one transaction. A send whose key is used already is omitted: of two at
 * once, PostgreSQL lets the second wait for the first one's commit.
 * @returns the ids (`guid`) of those that are stored
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
    // In the order of their keys, or two batches with the same keys could wait for each other.
    const stored = await tx.rows<{ guid: string }>(sql`
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
    const guids = new Set(stored.map(({ guid }) => guid));
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

/** What one message is made of, apart from its job. */
export interface OwnParts {
  readonly frozen: FrozenJob | null;
  readonly attachments: readonly Attachment[];
}

/** The parts of a message's own, by its id; undefined when there is no such message. */
export async function ownPartsOf(db: SiteDb, id: number): Promise<OwnParts | undefined> {
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

/** What messages show that is their own, apart from files. Those whose parts were forgotten are omitted. */
export async function shownParts(db: SiteDb, ids: readonly number[]): Promise<ShownParts[]> {
  if (ids.length === 0) return [];
  const rows = await db.rows<{ frozen: FrozenJob | null; data: Readonly<Record<string, string>> }>(sql`
    select frozen, data from ${db.t.single_send} where id_message = any(${ids}::int[])`);
  return rows.map(({ frozen, data }) => ({ frozen, data: new Map(Object.entries(data)) }));
}

/** What one message shows that is its own, apart from files. */
export interface ShownParts {
  /** All that it is made of, if that is not what its job was frozen with. */
  readonly frozen: FrozenJob | null;
  /** By name in lower case. */
  readonly data: ReadonlyMap<string, string>;
}

/** What became of a single send, as its row says. */
export interface SendOutcome {
  readonly guid: string;
  readonly idCampaign: number;
  readonly idJob: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly state: number;
  readonly code: number;
  readonly deferrals: number;
  readonly createdAt: Date;
  readonly nextAt: Date;
  readonly endedAt: Date | null;
}

/** What became of the single send that a UUID names. */
export async function findSend(db: SiteDb, guid: string): Promise<SendOutcome | undefined> {
  return db.first<SendOutcome & Record<string, unknown>>(sql`
    select m.guid, j.id_campaign as "idCampaign", j.id as "idJob", m.id_sent as "idSent",
      m.id_subscriber as "idSubscriber", m.state, m.code, m.deferrals, m.created_at as "createdAt",
      m.next_at as "nextAt", m.ended_at as "endedAt"
    from ${db.t.single_message} m join ${db.t.sent} s on s.id = m.id_sent join ${db.t.job} j on j.id = s.id_job
    where m.guid = ${guid}::uuid`);
}

/** Forgets the keys of calls from before an instant: their callers do not repeat them any more. */
export async function forgetKeys(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} set idempotency_key = null, request_digest = null
    where idempotency_key is not null and created_at < ${before}`);
}

/** Forgets what single sends that ended before an instant were made of. */
export async function forgetParts(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`
    delete from ${db.t.single_send} s using ${db.t.single_message} m
    where m.id = s.id_message and m.guid is not null and m.ended_at < ${before}`);
}

const words = ['Pending', 'HandingOver', 'Accepted', 'Refused', 'Expired', 'Uncertain', 'Cancelled'] as const;

const wordOf = new Map<number, (typeof words)[number]>([
  [singleStates.pending, 'Pending'],
  [singleStates.handingOver, 'HandingOver'],
  [singleStates.accepted, 'Accepted'],
  [singleStates.refused, 'Refused'],
  [singleStates.expired, 'Expired'],
  [singleStates.uncertain, 'Uncertain'],
  [singleStates.cancelled, 'Cancelled'],
]);

/** What became of a message to one subscriber, as the API shows it. */
export const SingleMessage = Closed('SingleMessage', {
  id: Type.String({ format: 'uuid' }),
  idCampaign: Int32(),
  idJob: Int32('The job that counts the messages of this version of the campaign and this day'),
  idSent: Int32(),
  idSubscriber: Int32(),
  state: OneOf(
    words,
    'Pending: waits for its first or next attempt. HandingOver: its end is being sent. Accepted: the relay took ' +
      'it. Refused: permanently rejected. Expired: deferred for 24 hours. Uncertain: the reply was lost, and it is ' +
      'not sent again. Cancelled: the subscriber was no longer eligible',
  ),
  code: Int32('The last SMTP reply code; 0 means none'),
  nbDeferrals: Count('How often the relay deferred it'),
  creationDate: Timestamp(),
  nextAttemptDate: Nullable(Timestamp('The earliest time of the next attempt; null if it is not pending')),
  endDate: Nullable(Timestamp('When its state became final; null before')),
});
export type SingleMessage = Static<typeof SingleMessage>;

/** The outcome as the API shows it. */
export function showOutcome(outcome: SendOutcome): SingleMessage {
  const state = wordOf.get(outcome.state);
  if (state === undefined) throw new Error(`Single message ${outcome.guid} has the state ${outcome.state}`);
  return {
    id: outcome.guid,
    idCampaign: outcome.idCampaign,
    idJob: outcome.idJob,
    idSent: outcome.idSent,
    idSubscriber: outcome.idSubscriber,
    state,
    code: outcome.code,
    nbDeferrals: outcome.deferrals,
    creationDate: outcome.createdAt.toISOString(),
    nextAttemptDate: state === 'Pending' ? outcome.nextAt.toISOString() : null,
    endDate: outcome.endedAt?.toISOString() ?? null,
  };
}
