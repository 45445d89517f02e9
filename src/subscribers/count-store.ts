import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** Subscribers that are counted; of more, the number is estimated. */
export const exactUpTo = 10_000;

/** A plan as EXPLAIN writes it. */
interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }];
}

/** The number of subscribers. It reads no more than `exactUpTo` rows and a plan, however many there are. */
export async function countRows(db: SiteDb): Promise<{ count: number; isEstimate: boolean }> {
  const { subscriber } = db.t;
  const count = await db.value<number>(sql`
    select count(*)::int as n from (select from ${subscriber} limit ${exactUpTo + 1}) few`);
  if (count <= exactUpTo) return { count, isEstimate: false };
  // The planner knows the size of the table now, and how many rows a page had when it was analysed.
  const {
    'QUERY PLAN': [{ Plan }],
  } = await db.one<Explained>(sql`explain (format json) select from ${subscriber}`);
  return { count: Math.max(count, Plan['Plan Rows']), isEstimate: true };
}
