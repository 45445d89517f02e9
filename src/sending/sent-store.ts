import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { FrozenJob } from './frozen-job.ts';
import { liveStates } from './job.ts';
import type { SentContent, SentRecord } from './sent.ts';

/** The sents of all jobs of a campaign, test mailings included, in the order in which they came. */
export async function sentsOfCampaign(db: SiteDb, idCampaign: number): Promise<SentRecord[]> {
  return select(db, sql`j.id_campaign = ${idCampaign}`);
}

/** The sents of one job of a campaign, in the order of its segments. */
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

/**
 * The contents that jobs were frozen with, by job; a part that a message does not have is null. `idsJob` names a job
 * once for each of its sents that is shown: contents are given from the newest job on while they stay below
 * `maxCharacters` in all, so that an answer has an end.
 */
export async function contentsOfJobs(
  db: SiteDb,
  idsJob: readonly number[],
  maxCharacters: number,
): Promise<ReadonlyMap<number, SentContent>> {
  if (idsJob.length === 0) return new Map();
  const rows = await db.rows<SentContent & { idJob: number }>(sql`
    with content as (
      select j.id, j.frozen #>> '{source,html}' as html, j.frozen #>> '{source,text}' as text, shown.times
      from (select id, count(*) as times from unnest(${idsJob}::int[]) id group by id) shown
      join ${db.t.job} j on j.id = shown.id),
    measured as (
      select *, sum((coalesce(length(html), 0) + coalesce(length(text), 0)) * times) over (order by id desc) as total
      from content)
    select id as "idJob", nullif(html, '') as html, nullif(text, '') as text
    from measured
    where total <= ${maxCharacters}::bigint`);
  return new Map(rows.map(({ idJob, html, text }) => [idJob, { html, text }]));
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
): Promise<{ idJob: number; idCampaign: number } | undefined> {
  return db.first<{ idJob: number; idCampaign: number }>(sql`
    select j.id as "idJob", j.id_campaign as "idCampaign"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job where s.id = ${idSent}`);
}
