import type { Segment } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/** Recipients in one range: what one worker holds at a time. 1,000 ids are 4 kB. */
const rangeSize = 1_000;

/** A sent of a job that is being generated. */
export interface NewSent {
  readonly segment: Segment;
  readonly filterName: string;
  /** Null for the remainder of an A/B test: it starts when the winner is chosen. */
  readonly startedAt: Date | null;
}

/** Adds or renames the sendings of segments, to which sendings are added. The campaign is locked. */
export async function keepSendings(
  tx: SiteDb,
  idCampaign: number,
  segments: readonly Segment[],
): Promise<void> {
  for (const { id, position, parameters } of segments) {
    await tx.run(sql`
      insert into ${tx.t.sending} (id_campaign, id_segment, position, name)
      values (${idCampaign}, ${id}, ${position}, ${parameters.name})
      on conflict (id_campaign, id_segment)
      do update set position = excluded.position, name = excluded.name`);
  }
}

/** Adds the job's sendings to their sendings (`keepSendings`); their ids in the order given. */
export async function addSents(
  tx: SiteDb,
  job: { readonly id: number; readonly idCampaign: number },
  sents: readonly NewSent[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { segment, filterName, startedAt } of sents) {
    const { position, parameters } = segment;
    const row = await tx.one<{ id: number }>(sql`
      insert into ${tx.t.sent}
        (id_job, id_sending, position, segment_name, id_target, filter_name, parameters, started_at)
      select ${job.id}::int, id, ${position}::int, ${parameters.name}, ${parameters.idTarget}::int, ${filterName},
        ${JSON.stringify(parameters)}::jsonb, ${startedAt}::timestamptz
      from ${tx.t.sending} where id_campaign = ${job.idCampaign} and id_segment = ${segment.id}
      returning id`);
    ids.push(row.id);
  }
  return ids;
}

/**
 * Freezes the audience in one statement: from a query of (fld0, position) to ranges of one sent each, in order of
 * position and subscriber. What happens to targets and subscribers afterwards does not change who is in it.
 * @param idHeld a sent whose ranges nobody may lease until they are let go
 * @returns how many messages the job has.
 */
export async function freezeAudience(
  tx: SiteDb,
  idJob: number,
  audience: Sql,
  idHeld?: number,
): Promise<number> {
  await tx.run(sql`
    with audience as materialized (${audience}),
    ranked as (
      select fld0, position, (row_number() over (partition by position order by fld0) - 1) / ${rangeSize}::int as chunk
      from audience),
    chunks as (
      select position, chunk, array_agg(fld0 order by fld0) as subscribers
      from ranked
      group by position, chunk)
    insert into ${tx.t.recipient_range} (id_job, number, id_sent, subscribers, not_before)
    select ${idJob}, row_number() over (order by c.position, c.chunk), s.id, c.subscribers,
      case when s.id = ${idHeld ?? null}::int then 'infinity'::timestamptz end
    from chunks c join ${tx.t.sent} s on s.id_job = ${idJob} and s.position = c.position`);
  const { total } = await tx.one<{ total: number }>(sql`
    with counts as (
      select id_sent, sum(cardinality(subscribers))::int as n
      from ${tx.t.recipient_range} where id_job = ${idJob} group by id_sent),
    counted as (
      update ${tx.t.sent} s set nb_address_to_send = counts.n from counts where s.id = counts.id_sent)
    select coalesce(sum(n), 0)::int as total from counts`);
  return total;
}
