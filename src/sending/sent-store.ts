import { bounceClasses } from '../activity/bounce.ts';
import { storedWords } from '../activity/bounce-store.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { noCounters } from '../activity/counters.ts';
import { longestRangeS, receiptStates } from '../activity/receipt.ts';
import type { SegmentAdvertisement } from '../campaigns/segment.ts';
import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Person } from '../subscribers/person.ts';
import { isAmong } from '../subscribers/search-store.ts';
import type { FrozenJob } from './frozen-job.ts';
import { liveStates } from './job.ts';
import {
  deferredState,
  type ListedNumber,
  type RecipientResult,
  type Sent,
  type SentContent,
  type SentRecord,
  showSent,
} from './sent.ts';

/** The sendings of all jobs of a campaign, test mailings included, in order of creation. */
export async function sentsOfCampaign(db: SiteDb, idCampaign: number): Promise<SentRecord[]> {
  return select(db, sql`j.id_campaign = ${idCampaign}`);
}

/** The sendings of one job of a campaign, in order of position. */
export async function sentsOfJob(db: SiteDb, idCampaign: number, idJob: number): Promise<SentRecord[]> {
  return select(db, sql`j.id_campaign = ${idCampaign} and j.id = ${idJob}`);
}

async function select(db: SiteDb, condition: Sql): Promise<SentRecord[]> {
  const rows = await db.rows<SentRecord>(sql`
    select s.id as "idSent", s.id_sending as "idSending", s.id_job as "idJob", j.is_test as "isTest",
      j.campaign_name as "campaignName", j.id_campaign as "idCampaign", g.id_segment as "idSegment", s.position,
      s.parameters, s.filter_name as "filterName", s.started_at as "startedAt", s.ended_at as "endedAt",
      s.nb_address_to_send as "nbAddressToSend", j.error_info as "errorInfo",
      case when a.id_job is not null then jsonb_build_object(
        'type', a.type, 'idRemainder', a.id_remainder, 'dueAt', a.due_at, 'results', a.results,
        'winnerPosition', (select w.position from ${db.t.sent} w where w.id = a.id_winner),
        'isOver', j.state <> all(${liveStates}::text[])) end as "abTest"
    from ${db.t.sent} s
    join ${db.t.job} j on j.id = s.id_job
    join ${db.t.sending} g on g.id = s.id_sending
    left join ${db.t.ab_test} a on a.id_job = s.id_job
    where ${condition}
    order by s.id_job, s.position`);
  // Older jobs are frozen without a segment's own sender name.
  return rows.map((row) => ({
    ...row,
    parameters: { ...row.parameters, senderAlias: row.parameters.senderAlias ?? null },
  }));
}

/** The advertisements in the messages of a job, by `idSent`. Without any, the key is missing. */
export async function advertisementsOfJob(
  db: SiteDb,
  idJob: number,
): Promise<ReadonlyMap<number, readonly SegmentAdvertisement[]>> {
  const rows = await db.rows<{ id: number; advertisements: SegmentAdvertisement[] }>(sql`
    select id, advertisements from ${db.t.sent} where id_job = ${idJob} and advertisements <> '[]'`);
  return new Map(rows.map(({ id, advertisements }) => [id, advertisements]));
}

/**
 * The frozen contents of sendings, by `idSent`; null for a missing part. Contents are returned by job, newest first,
 * while they stay below `maxCharacters` in total.
 */
export async function contentsOfSents(
  db: SiteDb,
  idsSent: readonly number[],
  maxCharacters: number,
): Promise<ReadonlyMap<number, SentContent>> {
  if (idsSent.length === 0) return new Map();
  const rows = await db.rows<SentContent & { idSent: number }>(sql`
    with job as materialized (
      select id, frozen #>> '{source,html}' as html, frozen #>> '{source,text}' as text, frozen -> 'sents' as sents
      from ${db.t.job}
      where id in (select id_job from ${db.t.sent} where id = any(${idsSent}::int[]))),
    own as (
      select (one #>> '{conf,idSent}')::int as id_sent, one #>> '{content,html}' as html,
        one #>> '{content,text}' as text
      from job cross join jsonb_array_elements(coalesce(job.sents, '[]')) one
      where one ? 'content'),
    content as materialized (
      select s.id, s.id_job, coalesce(own.html, job.html) as html,
        coalesce(own.text, job.text) as text
      from ${db.t.sent} s join job on job.id = s.id_job left join own on own.id_sent = s.id
      where s.id = any(${idsSent}::int[])),
    measured as (
      select id_job,
        sum(sum(coalesce(length(html), 0) + coalesce(length(text), 0))) over (order by id_job desc) as total
      from content group by id_job)
    select c.id as "idSent", nullif(c.html, '') as html, nullif(c.text, '') as text
    from content c join measured m using (id_job)
    where m.total <= ${maxCharacters}::bigint`);
  return new Map(rows.map(({ idSent, html, text }) => [idSent, { html, text }]));
}

/**
 * Whether any message of a sending was handed over, or was about to be. Locks its ranges. Workers lock them to commit,
 * so the work that has begun is visible, and no other begins before the transaction ends.
 */
export async function hasBegun(tx: SiteDb, idJob: number, idSent: number): Promise<boolean> {
  const ranges = await tx.rows<{ number: number; isDone: boolean }>(sql`
    select number, is_done as "isDone" from ${tx.t.recipient_range}
    where id_job = ${idJob} and id_sent = ${idSent} order by number for update`);
  if (ranges.some(({ isDone }) => isDone)) return true;
  return tx.value<boolean>(sql`
    select exists (
      select from ${tx.t.send_log}
      where id_job = ${idJob} and range_number = any(${ranges.map(({ number }) => number)}::int[])) as has`);
}

/** The frozen job of a sending; undefined if the sending is unknown or its job is not frozen. */
export async function frozenJobOf(db: SiteDb, idSent: number): Promise<FrozenJob | undefined> {
  const row = await db.first<{ frozen: FrozenJob | null }>(sql`
    select j.frozen from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job where s.id = ${idSent}`);
  return row?.frozen ?? undefined;
}

/** The job of a sending, its segment, and when its messages began to leave, if they have. */
export async function jobOfSent(
  db: SiteDb,
  idSent: number,
): Promise<Pick<SentRecord, 'idJob' | 'idCampaign' | 'idSegment' | 'isTest' | 'startedAt'> | undefined> {
  return db.first(sql`
    select j.id as "idJob", j.id_campaign as "idCampaign", g.id_segment as "idSegment", j.is_test as "isTest",
      s.started_at as "startedAt"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job join ${db.t.sending} g on g.id = s.id_sending
    where s.id = ${idSent}`);
}

/** Maximum characters of contents in one response. Fifty segments of 500,000 characters fit. */
const maxCharacters = 32_000_000;

const noContent: SentContent = { html: null, text: null };

/** Sendings as the API returns them, with their current counters and, newest first (see above), their contents. */
export async function showSents(
  db: SiteDb,
  records: readonly SentRecord[],
  hasContent: boolean,
): Promise<Sent[]> {
  const ids = records.map((record) => record.idSent);
  const counters = await countersOfSents(db, ids);
  const contents = await contentsOfSents(db, hasContent ? ids : [], maxCharacters);
  return records.map((record) => {
    const content = contents.get(record.idSent) ?? noContent;
    return showSent(record, counters.get(record.idSent) ?? noCounters, content);
  });
}

interface Listing {
  readonly states: readonly ListedNumber[];
  /** Only larger subscriber ids. */
  readonly after: number;
  readonly limit: number;
  /** Only these subscriber ids, which are few enough to be looked for in all ranges at once. */
  readonly among?: readonly number[] | undefined;
}

/** Ranges whose recipient lists are expanded at once: 50,000 recipients. */
const rangesAtOnce = 50;
const lastId = 2_147_483_647;

/**
 * Recipients of one sending in the given final states, or deferred, by id. An open range is read from its log, so the
 * list is exact while the job is running. Memory is bounded, whatever the number of recipients.
 */
export async function recipientsInStates(
  db: SiteDb,
  idSent: number,
  of: Listing,
): Promise<RecipientResult[]> {
  const found: RecipientResult[] = [];
  let { after } = of;
  while (found.length < of.limit) {
    const end = of.among ? undefined : await endOfRanges(db, idSent, of.states, after);
    const part = { ...of, after, end: end ?? lastId, limit: of.limit - found.length };
    found.push(...(await db.rows<RecipientResult>(recipientsQuery(db, idSent, part))));
    if (end === undefined) break;
    after = end;
  }
  return found;
}

/** The largest id up to which the next ranges hold every requested recipient; undefined if they are the last ones. */
async function endOfRanges(
  db: SiteDb,
  idSent: number,
  states: readonly ListedNumber[],
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

function recipientsQuery(db: SiteDb, idSent: number, of: Listing & { readonly end: number }): Sql {
  const known = [...Object.values(receiptStates), deferredState];
  const isAsked = sql`
    id_subscriber > ${of.after} and id_subscriber <= ${of.end} and state = any(${of.states}::smallint[])
    and ${isAmong(sql`id_subscriber`, of.among)}`;
  return sql`
    with result as (
      select one.id_subscriber, one.state, one.code, r.first_at + one.delay * interval '1 millisecond' as at
      from ${db.t.receipt_range} r,
        unnest(r.subscribers, r.states, r.codes, r.delays) one (id_subscriber, state, code, delay)
      where r.id_sent = ${idSent} and r.last_subscriber > ${of.after} and r.first_subscriber <= ${of.end} and ${isAsked}
      union all
      select * from (
        -- A final state never changes: only the first one in the log counts; without one, the last deferral.
        select distinct on (o.id_subscriber) o.id_subscriber, o.state, o.code, l.at
        from ${db.t.recipient_range} r
          join ${db.t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
          unnest(l.outcomes, l.states, l.codes) o (id_subscriber, state, code)
        where ${isOpenOf(db, idSent)} and o.state = any(${known}::smallint[])
          and r.subscribers[cardinality(r.subscribers)] > ${of.after} and r.subscribers[1] <= ${of.end}
        order by o.id_subscriber, o.state = ${deferredState},
          l.id * case o.state when ${deferredState} then -1 else 1 end) logged
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

interface WaitingListing extends Omit<Listing, 'states'> {
  /** Whether those are left out who were deferred. */
  readonly isUntried: boolean;
  /** Only recipients whose row `s` of subscribers, which is null once they are deleted, fulfils this. */
  readonly condition: Sql;
}

/**
 * Recipients of one sending without a final state, by id: who is in its open ranges, without the results in their logs.
 * The list is exact at the moment it is read, and shrinks while the job runs. Ranges are read a few at a time: with a
 * million recipients in them a page took 0.25 s, and 0.6 s where the condition left nobody.
 */
export async function waitingRecipients(db: SiteDb, idSent: number, of: WaitingListing): Promise<Person[]> {
  const { after, among } = of;
  const [least, largest] = [Math.max(after + 1, among?.[0] ?? 0), among?.at(-1) ?? lastId];
  // Ranges of a sending are numbered in the order of their subscribers (freeze.ts).
  const ranges = await db.values<number>(sql`
    select number from ${db.t.recipient_range} r
    where ${isOpenOf(db, idSent)} and subscribers[1] <= ${largest}::int
      and subscribers[cardinality(subscribers)] >= ${least}::bigint
    order by number`);
  const found: Person[] = [];
  for (let at = 0; at < ranges.length && found.length < of.limit; at += rangesAtOnce) {
    const part = { ...of, limit: of.limit - found.length, ranges: ranges.slice(at, at + rangesAtOnce) };
    found.push(...(await db.rows<Person>(waitingQuery(db, idSent, part))));
  }
  return found;
}

function waitingQuery(
  db: SiteDb,
  idSent: number,
  { isUntried, condition, after, limit, among, ranges }: WaitingListing & { readonly ranges: number[] },
): Sql {
  const ended = [...Object.values(receiptStates), ...(isUntried ? [deferredState] : [])];
  return sql`
    with part as materialized (
      select r.id_job, r.number, r.subscribers from ${db.t.recipient_range} r
      where ${isOpenOf(db, idSent)} and r.number = any(${ranges}::int[]))
    select w.id_subscriber as "idSubscriber", s.fld1 as email
    from (
      select unnest(subscribers) as id_subscriber from part
      except
      select o.id_subscriber
      from part join ${db.t.send_log} l on l.id_job = part.id_job and l.range_number = part.number,
        unnest(l.outcomes, l.states) o (id_subscriber, state)
      where o.state = any(${ended}::smallint[])) w
      left join ${db.t.subscriber} s on s.fld0 = w.id_subscriber
    where w.id_subscriber > ${after} and ${isAmong(sql`w.id_subscriber`, among)} and ${condition}
    order by w.id_subscriber limit ${limit}`;
}

/**
 * Number of messages of a sender's domain that relays accepted for a provider, without test mailings but including open
 * ranges. The cost grows with the messages in that time: a second for a million.
 * @param idProvider 0 means domains of no provider
 */
export async function countAcceptedFrom(
  db: SiteDb,
  senderDomain: string,
  idProvider: number,
  since: Date,
): Promise<number> {
  const { t } = db;
  const earliest = new Date(since.getTime() - longestRangeS * 1_000);
  return db.value<number>(sql`
    with own as materialized (
      select s.id, j.id as id_job from ${t.sent} s join ${t.job} j on j.id = s.id_job
      where j.sender_domain = ${senderDomain} and not j.is_test),
    closed as (
      select count(*) as n
      from ${t.receipt_range} r join own on own.id = r.id_sent,
        unnest(r.states, r.id_providers, r.delays) one (state, id_provider, delay)
      where r.first_at > ${earliest} and r.last_at > ${since} and one.state = ${receiptStates.accepted}
        and one.id_provider = ${idProvider} and r.first_at + one.delay * interval '1 millisecond' > ${since}),
    open as (
      select count(*) as n
      from ${t.recipient_range} r join own on own.id = r.id_sent
        join ${t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
        unnest(l.outcomes, l.states) one (id_subscriber, state)
          left join ${t.subscriber} s on s.fld0 = one.id_subscriber
          left join facteur.provider_domain d on d.domain = s.fld37
      where not r.is_done and l.at > ${since} and one.state = ${receiptStates.accepted}
        and coalesce(d.id_provider, 0) = ${idProvider})
    select (closed.n + open.n)::int as n from closed, open`);
}

/** Maximum characters of a kept reply. */
const maxReply = 500;

/** The reply that made a recipient refused or expired. */
export interface FailureReply {
  /** Enhanced status code; '' means none. */
  readonly status: string;
  /** The text of the reply, with its code. */
  readonly reply: string;
}

/** A reply as JSON for `insertFailures`, with short names because it travels with each commit. */
export function failureRow(idSubscriber: number, { status, reply }: FailureReply): object {
  // PostgreSQL keeps no NUL.
  return { i: idSubscriber, s: status, d: reply.replaceAll('\0', '').slice(0, maxReply) };
}

/**
 * A statement that records replies, as a part of the one that commits their outcomes. A repetition keeps the first
 * reply.
 * @param source a query of (id_sent int, failures jsonb); `failures` is a list of `failureRow`s or null
 */
export function insertFailures(t: SiteTables, source: Sql): Sql {
  return sql`
    insert into ${t.delivery_failure} (id_sent, id_subscriber, status, reply)
    select source.id_sent, f.i, f.s, ${storedWords(t, sql`f.i`, sql`f.d`)}
    from (${source}) source, jsonb_to_recordset(source.failures) as f (i int, s text, d text)
    on conflict do nothing`;
}
