import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw, sql } from '../platform/db/sql.ts';
import { cloneDatabase, type TestDatabase } from '../testing/database.ts';
import {
  type AudiencePart,
  type AudienceSource,
  audienceCountQuery,
  audienceQuery,
} from './audience-query.ts';

let db: TestDatabase;
const source: AudienceSource = { subscriber: raw('site_demo.subscriber'), mayReceive: raw('fld7 = 0') };
/** Subscribers 1 to 30; those divisible by 5 may not be written to. */
const eligible = (id: number) => id % 5 !== 0;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.database.run(sql`
    insert into site_demo.subscriber (fld0, fld1, fld7)
    select n, n || '@example.org', case when n % 5 = 0 then 1 else 0 end from generate_series(1, 30) n`);
});
afterAll(() => db.close());

type Model = Omit<AudiencePart, 'members' | 'condition' | 'position'> & {
  readonly target: readonly number[];
  /** Whether the target can be a condition; one that is cut cannot. */
  readonly isCondition?: boolean;
};

const segment = (isRandom: fc.Arbitrary<boolean>): fc.Arbitrary<Model> =>
  fc.record({
    isExcluded: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    isRandom,
    percent: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 100 })),
    fixedValues: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })),
    target: fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
    isCondition: fc.boolean(),
  });

function partsOf(models: readonly Model[]): AudiencePart[] {
  return models.map(({ target, isCondition, ...rest }, index) => ({
    ...rest,
    position: index + 1,
    members: sql`select unnest(${target}::int[]) as fld0`,
    condition: isCondition ? sql`fld0 = any(${target}::int[])` : undefined,
  }));
}

interface Taken {
  readonly position: number;
  readonly targetCount: number;
  readonly deDuplicatedCount: number;
  readonly subscribers: readonly number[];
}

/** The rules once more, one segment and one subscriber at a time. */
function model(models: readonly Model[]): Taken[] {
  const numbered = models.map((one, index) => ({ ...one, position: index + 1 }));
  const out = take(
    numbered.filter((one) => one.isExcluded),
    new Set(),
  );
  const gone = new Set(out.flatMap((one) => one.subscribers));
  const sent = take(
    numbered.filter((one) => !one.isExcluded),
    gone,
  );
  return [...out, ...sent].sort((a, b) => a.position - b.position);
}

function take(segments: readonly (Model & { position: number })[], excluded: ReadonlySet<number>): Taken[] {
  const earlier = new Set<number>();
  return segments.map((one) => {
    const may = one.target.filter((id) => eligible(id) && !excluded.has(id)).sort((a, b) => a - b);
    const free = may.filter((id) => !earlier.has(id));
    const share = Math.ceil((may.length * one.percent) / 100);
    const subscribers = free.slice(0, one.fixedValues > 0 ? Math.min(share, one.fixedValues) : share);
    for (const id of subscribers) earlier.add(id);
    return {
      position: one.position,
      targetCount: one.target.length,
      deDuplicatedCount: free.length,
      subscribers,
    };
  });
}

interface Recipient {
  readonly fld0: number;
  readonly position: number;
}

async function freeze(models: readonly Model[]): Promise<Recipient[]> {
  return db.database.rows<Recipient & Record<string, number>>(sql`
    select * from (${audienceQuery(source, partsOf(models))}) a order by position, fld0`);
}

describe('the audience', () => {
  it('is what the plain model says, and its counts too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(segment(fc.constant(false)), { maxLength: 6 }), async (models) => {
        const wanted = model(models);
        const sending = wanted.filter((one) => !models[one.position - 1]!.isExcluded);
        expect(await freeze(models)).toEqual(
          sending.flatMap((one) => one.subscribers.map((fld0) => ({ fld0, position: one.position }))),
        );
        if (models.length === 0) return;
        expect(await db.database.rows(audienceCountQuery(source, partsOf(models)))).toEqual(
          wanted.map(({ subscribers, ...counts }) => ({ ...counts, segmentCount: subscribers.length })),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('chosen at random is as large, of the target, eligible, and nobody twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(segment(fc.boolean()), { minLength: 1, maxLength: 5 }), async (drawn) => {
        // The random choice of an excluded segment is not visible, so here it chooses by id.
        const models = drawn.map((one) => (one.isExcluded ? { ...one, isRandom: false } : one));
        const rows = await freeze(models);
        const ids = rows.map((row) => row.fld0);
        expect(new Set(ids).size).toBe(ids.length);
        const excluded = new Set(
          model(models).flatMap((one) => (models[one.position - 1]!.isExcluded ? one.subscribers : [])),
        );
        const earlier = new Set<number>();
        for (const [index, one] of models.entries()) {
          if (one.isExcluded) continue;
          const may = one.target.filter((id) => eligible(id) && !excluded.has(id));
          const share = Math.ceil((may.length * one.percent) / 100);
          const cap = one.fixedValues > 0 ? Math.min(share, one.fixedValues) : share;
          const free = may.filter((id) => !earlier.has(id));
          const got = rows.filter((row) => row.position === index + 1).map((row) => row.fld0);
          expect(got.length).toBe(Math.min(cap, free.length));
          expect(got.every((id) => free.includes(id))).toBe(true);
          for (const id of got) earlier.add(id);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('shares one target between two halves', async () => {
    const half: Model = {
      isExcluded: false,
      isRandom: true,
      percent: 50,
      fixedValues: 0,
      target: Array.from({ length: 30 }, (_, index) => index + 1),
    };
    const rows = await freeze([half, half]);
    expect([1, 2].map((position) => rows.filter((row) => row.position === position).length)).toEqual([
      12, 12,
    ]);
  });

  it('takes a random choice that differs from time to time', async () => {
    const some: Model = {
      isExcluded: false,
      isRandom: true,
      percent: 50,
      fixedValues: 0,
      target: Array.from({ length: 30 }, (_, index) => index + 1),
    };
    const draws = await Promise.all(Array.from({ length: 5 }, () => freeze([some])));
    expect(new Set(draws.map((rows) => rows.map((row) => row.fld0).join())).size).toBeGreaterThan(1);
  });

  it.each([
    ['whole', [100]],
    ['cut', [10]],
    ['mixed', [100, 100, 10]],
  ])('plans fifty segments in a moment: %s', async (_what, percents) => {
    const models = Array.from(
      { length: 50 },
      (_, index): Model => ({
        isExcluded: false,
        isRandom: false,
        percent: percents[index % percents.length]!,
        fixedValues: 0,
        target: [1, 2, 3, 4],
      }),
    );
    expect((await freeze(models)).map((row) => row.fld0).sort()).toEqual([1, 2, 3, 4]);
  });
});
