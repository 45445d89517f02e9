import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import { mayReceive } from '../subscribers/eligibility.ts';
import { evaluating, inTurn, selecting, TimeLimit } from '../targets/evaluation.ts';
import { withLoadedFiles } from '../targets/file-loads.ts';
import { readTargetSet, targetMembers, targetSet } from '../targets/target-set.ts';
import { missingTarget } from '../targets/target-store.ts';
import { type AudiencePart, audienceCountQuery, audienceQuery } from './audience-query.ts';
import type { Segment, SegmentCount } from './segment.ts';
import { listSegments, setLastCounts } from './segment-store.ts';

/** The segments of a campaign are counted in this time, or not at all; a request may take a minute. */
const countingMs = 50_000;

/**
 * The audience of a real sending, as a query that gives (fld0, position): each subscriber once, at the position of
 * the segment that takes them. Only those who may be written to. It draws at random again each time it runs, so a
 * freeze runs it once. In a transaction of `selecting`.
 */
export async function audienceOf(
  app: App,
  tx: SiteDb,
  segments: readonly Segment[],
  at: Date,
  limit: TimeLimit,
): Promise<Sql> {
  return audienceQuery(sourceOf(tx), await partsOf(app, tx, segments, at, limit));
}

/**
 * The audience of a test mailing, as a query that gives (fld0, position): every subscriber of the test target at every
 * one of the positions, one message each. They too must be ones who may be written to.
 */
export async function testAudienceOf(
  app: App,
  tx: SiteDb,
  idTestTarget: number,
  positions: readonly number[],
  at: Date,
  limit: TimeLimit,
): Promise<Sql> {
  return sql`
    select m.fld0, p.position
    from (${await targetSet(app, tx, idTestTarget, at, limit)}) m
    join ${tx.t.subscriber} s on s.fld0 = m.fld0
    cross join unnest(${positions}::int[]) p (position)
    where ${mayReceive()}`;
}

/** How many testers a test mailing would have, counted up to `max`. @throws as a count of the target */
export async function countTesters(
  app: App,
  db: SiteDb,
  idTestTarget: number,
  at: Date,
  max: number,
): Promise<number> {
  return readTargetSet({ app, db, idTarget: idTestTarget, at }, async (tx, set) => {
    const row = await tx.one<{ count: number }>(sql`
      select count(*)::int as count
      from (select from (${set}) m join ${tx.t.subscriber} s on s.fld0 = m.fld0 where ${mayReceive()}
        limit ${max}) counted`);
    return row.count;
  });
}

/**
 * Counts all segments of a campaign, and keeps the counts with them; in order of position.
 * @param signal ends it before, as `TimeLimit`.
 */
export async function countAudience(
  app: App,
  db: SiteDb,
  idCampaign: number,
  at: Date,
  signal: AbortSignal,
): Promise<SegmentCount[]> {
  const segments = await listSegments(db, idCampaign);
  if (segments.length === 0) return [];
  const count = async (tx: SiteDb) => {
    await tx.run(sql`set transaction read only`);
    const limit = new TimeLimit(countingMs, signal);
    const query = audienceCountQuery(sourceOf(tx), await partsOf(app, tx, segments, at, limit));
    return evaluating(tx, limit, () => tx.rows<CountRow>(query));
  };
  const rows = await withLoadedFiles(() =>
    inTurn(app, db, () => selecting(db, count, 'caller', signal), signal),
  );
  const counts = segments.map((segment, index): SegmentCount => {
    const { targetCount, deDuplicatedCount, segmentCount } = rows[index]!;
    const { percent, fixedValues } = segment.parameters;
    return {
      idSegment: segment.id,
      position: segment.position,
      percent,
      fixedValues,
      targetCount,
      deDuplicatedCount,
      segmentCount,
    };
  });
  await setLastCounts(db, segments, new Map(counts.map((count) => [count.idSegment, count.segmentCount])));
  return counts;
}

type CountRow = Pick<SegmentCount, 'position' | 'targetCount' | 'deDuplicatedCount' | 'segmentCount'>;

const sourceOf = (db: SiteDb) => ({ subscriber: db.t.subscriber, mayReceive: mayReceive() });

async function partsOf(
  app: App,
  tx: SiteDb,
  segments: readonly Segment[],
  at: Date,
  limit: TimeLimit,
): Promise<AudiencePart[]> {
  const idTargets = segments.map(({ parameters }) => parameters.idTarget);
  const missing = await missingTarget(tx, idTargets);
  if (missing !== undefined) {
    const { position } = segments[idTargets.indexOf(missing)]!;
    throw conflict(
      `Segment ${position} uses target ${missing}, which no longer exists; choose another target`,
    );
  }
  const targets = await targetMembers(app, tx, idTargets, at, limit);
  return segments.map(({ position, parameters }) => {
    const { isExcluded, isRandom, percent, fixedValues, idTarget } = parameters;
    const { query: members, condition } = targets.get(idTarget)!;
    return { position, isExcluded, isRandom, percent, fixedValues, members, condition };
  });
}
