import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import { inOrder } from '../platform/http/schema.ts';
import { mayReceive } from '../subscribers/eligibility.ts';
import type { Person } from '../subscribers/person.ts';
import { readTargetSet, Selection } from '../targets/selection.ts';
import { peopleOfSet } from '../targets/subscriber-page.ts';
import { missingTarget } from '../targets/target-store.ts';
import { type AudiencePart, audienceCountQuery, audienceQuery, segmentQuery } from './audience-query.ts';
import { type Segment, SegmentCount } from './segment.ts';
import { listSegments, setLastCounts } from './segment-store.ts';

/** Time limit of a count in milliseconds; a request may take a minute. */
const countingMs = 50_000;

/** Evaluates the audience as (fld0, position), each subscriber once. Each run draws again, so a freeze runs it once. */
export async function evaluateAudience<T>(
  selection: Selection,
  segments: readonly Segment[],
  work: (audience: Sql) => Promise<T>,
): Promise<T> {
  return evaluateParts(selection, segments, (parts) => work(audienceQuery(sourceOf(selection.tx), parts)));
}

/** The audience of a test mailing as a query of (fld0, position): each eligible subscriber at each position. */
export async function evaluateTestAudience<T>(
  selection: Selection,
  idTestTarget: number,
  positions: readonly number[],
  work: (audience: Sql) => Promise<T>,
): Promise<T> {
  return selection.evaluate([idTestTarget], (members) =>
    work(sql`
      select m.fld0, p.position
      from (${members.get(idTestTarget)!.query}) m
      join ${selection.tx.t.subscriber} s on s.fld0 = m.fld0
      cross join unnest(${positions}::int[]) p (position)
      where ${mayReceive()}`),
  );
}

/** Counts the testers of a test mailing, up to `max`. @throws everything that counting a target throws */
export async function countTesters(
  app: App,
  db: SiteDb,
  idTestTarget: number,
  at: Date,
  max: number,
): Promise<number> {
  return readTargetSet({ app, db, idTarget: idTestTarget, at }, async (tx, set) => {
    return tx.value<number>(sql`
      select count(*)::int as count
      from (select from (${set}) m join ${tx.t.subscriber} s on s.fld0 = m.fld0 where ${mayReceive()}
        limit ${max}) counted`);
  });
}

/** Counts all segments of a campaign, by position, and stores the counts. @param signal ends the count early */
export async function countAudience(
  app: App,
  db: SiteDb,
  idCampaign: number,
  at: Date,
  signal: AbortSignal,
): Promise<SegmentCount[]> {
  const segments = await listSegments(db, idCampaign);
  if (segments.length === 0) return [];
  const options = { app, db, at, reader: 'caller', limitMs: countingMs, signal } as const;
  const rows = await Selection.select(options, (selection) =>
    evaluateParts(selection, segments, (parts) =>
      selection.tx.rows<CountRow>(audienceCountQuery(sourceOf(selection.tx), parts)),
    ),
  );
  const counts = segments.map(({ id, parameters: { percent, fixedValues } }, index) =>
    inOrder(SegmentCount, { idSegment: id, percent, fixedValues, ...rows[index]! }),
  );
  await setLastCounts(db, segments, new Map(counts.map((count) => [count.idSegment, count.segmentCount])));
  return counts;
}

/** A page of the people of a segment, and how it is read. */
export interface SegmentPage {
  readonly app: App;
  readonly db: SiteDb;
  readonly segment: Pick<Segment, 'idCampaign' | 'position'>;
  /** Only people who have this text. */
  readonly search: string | undefined;
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
  readonly at: Date;
  /** Ends the evaluation early. */
  readonly signal: AbortSignal;
}

/** The people that a segment would take at this moment, or remove if it is excluded, by id. */
export async function segmentPeople(page: SegmentPage): Promise<Person[]> {
  const { app, db, segment, search, after, most, at, signal } = page;
  const segments = await listSegments(db, segment.idCampaign);
  const options = { app, db, at, reader: 'caller', limitMs: countingMs, signal } as const;
  return Selection.select(options, (selection) =>
    evaluateParts(selection, segments, (parts) => {
      const { tx } = selection;
      const set = segmentQuery(sourceOf(tx), parts, segment.position);
      return peopleOfSet(tx, { set, search, after, most });
    }),
  );
}

type CountRow = Pick<SegmentCount, 'position' | 'targetCount' | 'deDuplicatedCount' | 'segmentCount'>;

const sourceOf = (db: SiteDb) => ({ subscriber: db.t.subscriber, mayReceive: mayReceive() });

async function evaluateParts<T>(
  selection: Selection,
  segments: readonly Segment[],
  work: (parts: readonly AudiencePart[]) => Promise<T>,
): Promise<T> {
  const idTargets = segments.map(({ parameters }) => parameters.idTarget);
  const missing = await missingTarget(selection.tx, idTargets);
  if (missing !== undefined) {
    const { position } = segments[idTargets.indexOf(missing)]!;
    throw conflict(
      `Segment ${position} uses target ${missing}, which no longer exists; choose another target`,
    );
  }
  return selection.evaluate(idTargets, (targets) =>
    work(
      segments.map(({ position, parameters }) => {
        const { isExcluded, isRandom, percent, fixedValues, idTarget } = parameters;
        const { query: members, condition } = targets.get(idTarget)!;
        return { position, isExcluded, isRandom, percent, fixedValues, members, condition };
      }),
    ),
  );
}
