import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { createAll } from './creation.ts';
import type { NewSubscriber } from './subscriber.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

const at = new Date('2026-11-20T10:00:00Z');
const writing = { at, by: { cause: 'user', id: 1 } as const };
const emails = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`);

/** Few addresses, ids and values, so that they collide often. */
const element: fc.Arbitrary<NewSubscriber> = fc.record(
  {
    id: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(1, 2, 3, 999)),
    fields: fc
      .record(
        {
          1: fc.constantFrom(...emails, ...emails.map((email) => email.toUpperCase()), 'none', null),
          5: fc.constantFrom('fair', 'shop', null),
          43: fc.constantFrom(1, 2, 3, null),
          7: fc.constantFrom(0, 1),
        },
        { requiredKeys: [] },
      )
      .map((values) => Object.entries(values).map(([id, value]) => ({ idField: Number(id), value }))),
  },
  { requiredKeys: ['fields'] },
);

interface Outcome {
  readonly status: number;
  readonly results: readonly unknown[];
  readonly rows: readonly unknown[];
}

async function reset(db: SiteDb): Promise<void> {
  await db.run(sql`truncate ${db.t.subscriber} restart identity`);
  await db.run(sql`insert into ${db.t.subscriber} (fld1) select unnest(${emails.slice(0, 3)}::text[])`);
}

/** The outcome of one call. New ids are omitted, because rolled-back runs use some up. */
async function outcomeOf(db: SiteDb, work: () => Promise<readonly unknown[]>): Promise<Outcome> {
  let status = 200;
  const results = await work().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    status = error.status;
    return error.data as unknown[];
  });
  const rows = await db.rows(sql`
    select fld1, fld2, fld3, fld5, fld7, fld43, case when fld0 < 4 then fld0 end as id
    from ${db.t.subscriber} order by fld1`);
  return { status, results: results.map(withoutId), rows };
}

const withoutId = (one: unknown) =>
  one && (one as NewSubscriber).fields.filter(({ idField }) => idField !== 0);

it('a call leaves what its elements leave one by one, up to the first that fails', async () => {
  const [together, apart] = [t.db, t.otherDb];
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 12 }), async (elements) => {
      await Promise.all([reset(together), reset(apart)]);
      const ours = await outcomeOf(together, () => createAll(together, elements, writing));
      const results: unknown[] = [];
      const model = await outcomeOf(apart, async () => {
        for (const one of elements) {
          try {
            results.push(...(await createAll(apart, [one], writing)));
          } catch (error) {
            throw error instanceof Refusal
              ? new Refusal(error.status, error.code, '', { data: results })
              : error;
          }
        }
        return results;
      });
      expect(ours).toEqual(model);
    }),
    { numRuns: 60 },
  );
});
