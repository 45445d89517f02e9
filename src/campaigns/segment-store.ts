import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Segment, SegmentParameters, SegmentScores } from './segment.ts';

interface SegmentRow
  extends SegmentParameters,
    Omit<Segment, 'parameters' | 'scores'>,
    Omit<SegmentScores, 'message'> {
  readonly message: string | null;
}

const columns = sql`
  id, id_campaign as "idCampaign", position, name, id_target as "idTarget", is_excluded as "isExcluded",
  is_random as "isRandom", percent, mail_object as "mailObject", sender_alias as "senderAlias",
  fixed_values as "fixedValues", last_count as "lastCount", spam_score as "spamScore",
  vr_spam_score as "vrSpamScore", scored_message as message`;

/** The campaign's segments in order of position. */
export async function listSegments(db: SiteDb, idCampaign: number): Promise<Segment[]> {
  return select(db, sql`id_campaign = ${idCampaign}`);
}

/** The segment at a position, counted from 1. */
export async function findSegment(
  db: SiteDb,
  idCampaign: number,
  position: number,
): Promise<Segment | undefined> {
  return (await select(db, sql`id_campaign = ${idCampaign} and position = ${position}`))[0];
}

async function select(db: SiteDb, condition: Sql): Promise<Segment[]> {
  const rows = await db.rows<SegmentRow>(sql`
    select ${columns} from ${db.t.segment} where ${condition} order by position`);
  return rows.map(
    ({ id, idCampaign, position, lastCount, spamScore, vrSpamScore, message, ...parameters }) => ({
      id,
      idCampaign,
      position,
      parameters,
      lastCount,
      ...(message !== null && { scores: { spamScore, vrSpamScore, message } }),
    }),
  );
}

/** Adds a segment after the last one, the campaign's row locked. @returns its id */
export async function insertSegment(
  tx: SiteDb,
  idCampaign: number,
  segment: SegmentParameters,
): Promise<number> {
  return tx.value<number>(sql`
    insert into ${tx.t.segment}
      (id_campaign, position, name, id_target, is_excluded, is_random, percent, mail_object, sender_alias,
       fixed_values)
    select ${idCampaign}, coalesce(max(position), 0) + 1, ${segment.name}, ${segment.idTarget}, ${segment.isExcluded},
      ${segment.isRandom}, ${segment.percent}, ${segment.mailObject}, ${segment.senderAlias},
      ${segment.fixedValues}
    from ${tx.t.segment}
    where id_campaign = ${idCampaign}
    returning id`);
}

/** Gives a campaign without segments those of another one. Its row is locked, and so is the other one's. */
export async function copySegments(tx: SiteDb, from: number, to: number): Promise<void> {
  await tx.run(sql`
    insert into ${tx.t.segment}
      (id_campaign, position, name, id_target, is_excluded, is_random, percent, mail_object, sender_alias,
       fixed_values)
    select ${to}::int, position, name, id_target, is_excluded, is_random, percent, mail_object, sender_alias,
      fixed_values
    from ${tx.t.segment}
    where id_campaign = ${from}
    order by position`);
}

/** Replaces the parameters of a segment. Its count becomes unknown. */
export async function updateSegment(tx: SiteDb, id: number, segment: SegmentParameters): Promise<void> {
  await tx.run(sql`
    update ${tx.t.segment}
    set name = ${segment.name}, id_target = ${segment.idTarget}, is_excluded = ${segment.isExcluded},
      is_random = ${segment.isRandom}, percent = ${segment.percent}, mail_object = ${segment.mailObject},
      sender_alias = ${segment.senderAlias}, fixed_values = ${segment.fixedValues}, last_count = null
    where id = ${id}`);
}

/** Deletes a segment and closes the gap in the positions. */
export async function deleteSegment(tx: SiteDb, segment: Segment): Promise<void> {
  await tx.run(sql`delete from ${tx.t.segment} where id = ${segment.id}`);
  // Positions are compared at the commit (the constraint is deferred), so the order of the updates does not matter.
  await tx.run(sql`
    update ${tx.t.segment}
    set position = position - 1
    where id_campaign = ${segment.idCampaign} and position > ${segment.position}`);
}

/** Numbers the campaign's segments from 1 in the order of `ids`, which must be all of them. */
export async function orderSegments(tx: SiteDb, idCampaign: number, ids: readonly number[]): Promise<void> {
  await tx.run(sql`
    update ${tx.t.segment} s
    set position = o.position
    from unnest(${ids}::int[]) with ordinality o (id, position)
    where s.id = o.id and s.id_campaign = ${idCampaign}`);
}

/** Stores the last counts, by segment id. A count takes long: a segment that changed since is skipped. */
export async function setLastCounts(
  db: SiteDb,
  segments: readonly Segment[],
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  const counted = segments.flatMap(({ id, position, parameters }) => {
    const count = counts.get(id);
    if (count === undefined) return [];
    const { idTarget, isExcluded, isRandom, percent, fixedValues } = parameters;
    return [{ id, count, position, idTarget, isExcluded, isRandom, percent, fixedValues }];
  });
  await db.run(sql`
    update ${db.t.segment} s
    set last_count = c.count
    from jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) as c (id int, count int, position int, "idTarget" int,
      "isExcluded" boolean, "isRandom" boolean, percent int, "fixedValues" int)
    where s.id = c.id
      and (s.position, s.id_target, s.is_excluded, s.is_random, s.percent, s.fixed_values)
        = (c.position, c."idTarget", c."isExcluded", c."isRandom", c.percent, c."fixedValues")`);
}

/**
 * Stores the scores of a segment's message. A missing score keeps the earlier score of the same message, but not that
 * of another one. Scores of a message that was read earlier than the stored one are ignored, so a slow call does not
 * undo a later one.
 * @param readAt when the message was read
 */
export async function keepScores(
  db: SiteDb,
  idSegment: number,
  { spamScore, vrSpamScore, message }: SegmentScores,
  readAt: Date,
): Promise<void> {
  await db.run(sql`
    update ${db.t.segment}
    set spam_score = coalesce(${spamScore}::float8, case when scored_message = ${message}::text then spam_score end),
      vr_spam_score = coalesce(${vrSpamScore}::float8,
        case when scored_message = ${message}::text then vr_spam_score end),
      scored_message = ${message}, scored_at = ${readAt}
    where id = ${idSegment} and (scored_at is null or scored_at <= ${readAt})`);
}
