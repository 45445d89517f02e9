import { countersOfSents } from '../activity/counter-store.ts';
import { noCounters } from '../activity/counters.ts';
import type { SegmentAdvertisement } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { FrozenJob } from './frozen-job.ts';
import { liveStates } from './job.ts';
import { type Sent, type SentContent, type SentRecord, showSent } from './sent.ts';

/** The sendings of all jobs of a campaign, test mailings included, in the order in which they came. */
export async function sentsOfCampaign(db: SiteDb, idCampaign: number): Promise<SentRecord[]> {
  return select(db, sql`j.id_campaign = ${idCampaign}`);
}

/** The sendings of one job of a campaign, in the order of its segments. */
export async function sentsOfJob(db: SiteDb, idCampaign: number, idJob: number): Promise<SentRecord[]> {
  return select(db, sql`j.id_campaign = ${idCampaign} and j.id = ${idJob}`);
}

async function select(db: SiteDb, condition: Sql): Promise<SentRecord[]> {
  const rows = await db.rows<SentRecord & Record<string, unknown>>(sql`
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
  // Segments had no name of their own beside the sender's address when older jobs were frozen.
  return rows.map((row) => ({
    ...row,
    parameters: { ...row.parameters, senderAlias: row.parameters.senderAlias ?? null },
  }));
}

/** The advertisements that was in the messages of a job, by sent; sendings without any are absent. */
export async function advertisementsOfJob(
  db: SiteDb,
  idJob: number,
): Promise<ReadonlyMap<number, readonly SegmentAdvertisement[]>> {
  const rows = await db.rows<{ id: number; advertisements: SegmentAdvertisement[] }>(sql`
    select id, advertisements from ${db.t.sent} where id_job = ${idJob} and advertisements <> '[]'`);
  return new Map(rows.map(({ id, advertisements }) => [id, advertisements]));
}

/**
 * The contents that sendings were frozen with, by sent; a part that a message does not have is null. They are given
 * by the job, from the newest on, while they stay below `maxCharacters` in total, so that an answer has an end.
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

/** What a sent is of; undefined when there is no such sent. */
export async function findSent(
  db: SiteDb,
  idSent: number,
): Promise<{ idJob: number; idCampaign: number; idSegment: number } | undefined> {
  return db.first<{ idJob: number; idCampaign: number; idSegment: number }>(sql`
    select j.id as "idJob", j.id_campaign as "idCampaign", g.id_segment as "idSegment"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job join ${db.t.sending} g on g.id = s.id_sending
    where s.id = ${idSent}`);
}

/**
 * Has any message of a sent been handed over, or been about to be? Locks its ranges, which anyone who hands messages
 * over locks to commit: what is begun meanwhile is seen, and what is not begun waits for the end of the transaction.
 */
export async function hasBegun(tx: SiteDb, idJob: number, idSent: number): Promise<boolean> {
  const ranges = await tx.rows<{ number: number; isDone: boolean }>(sql`
    select number, is_done as "isDone" from ${tx.t.recipient_range}
    where id_job = ${idJob} and id_sent = ${idSent} order by number for update`);
  if (ranges.some(({ isDone }) => isDone)) return true;
  const { has } = await tx.one<{ has: boolean }>(sql`
    select exists (
      select from ${tx.t.send_log}
      where id_job = ${idJob} and range_number = any(${ranges.map(({ number }) => number)}::int[])) as has`);
  return has;
}

/** When the messages of a sent began to leave; undefined when there is no such sent. */
export async function startOfSent(db: SiteDb, idSent: number): Promise<Date | undefined> {
  const row = await db.first<{ startedAt: Date | null }>(
    sql`select started_at as "startedAt" from ${db.t.sent} where id = ${idSent}`,
  );
  return row?.startedAt ?? undefined;
}

/** What the job of a sent was frozen with; undefined when there is no such sent, or nothing is kept of its messages. */
export async function frozenJobOf(db: SiteDb, idSent: number): Promise<FrozenJob | undefined> {
  const row = await db.first<{ frozen: FrozenJob | null }>(sql`
    select j.frozen from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job where s.id = ${idSent}`);
  return row?.frozen ?? undefined;
}

/** The job that a sent is of; undefined when there is no such sent. */
export async function jobOfSent(
  db: SiteDb,
  idSent: number,
): Promise<{ idJob: number; idCampaign: number; isTest: boolean } | undefined> {
  return db.first<{ idJob: number; idCampaign: number; isTest: boolean }>(sql`
    select j.id as "idJob", j.id_campaign as "idCampaign", j.is_test as "isTest"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job where s.id = ${idSent}`);
}

/** Contents in one answer. Fifty segments of 500,000 characters fit. */
const maxCharacters = 32_000_000;

const noContent: SentContent = { html: null, text: null };

/** Sents as the API shows them, with their counters of this moment and (newest first, see above) their contents. */
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
