import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import type { TargetMembers, TargetSteps } from './selection.ts';
import { subscribersAmong } from './user-expression.ts';

/**
 * Counts targets in one pass over the subscribers: each, and the subscribers that at least one of all of them, and of
 * the safe ones, selects. A target that is cut is joined; the others are conditions.
 * @param targets at least one
 */
export async function countMembers(
  tx: SiteDb,
  targets: readonly { readonly members: TargetMembers; readonly isSafe: boolean }[],
): Promise<{ each: number[]; all: number; safe: number }> {
  const held = targets.map(({ members, isSafe }, i) => {
    const name = raw(`t${i}`);
    return { members, isSafe, name, isIn: members.condition ? name : sql`${name}.fld0 is not null` };
  });
  const flags = held.flatMap(({ members, name }) =>
    members.condition ? [sql`(${members.condition}) is true as ${name}`] : [],
  );
  const cuts = held.flatMap(({ members, name }) =>
    members.condition ? [] : [sql`left join (${members.query}) as ${name} on ${name}.fld0 = s.fld0`],
  );
  const oneOf = (some: readonly { readonly isIn: Sql }[]) =>
    some.length === 0
      ? sql`0::bigint`
      : sql`count(*) filter (where ${join(
          some.map((one) => one.isIn),
          ' or ',
        )})`;
  const joined = cuts.length > 0 ? join(cuts, ' ') : empty;
  // Without `offset`, PostgreSQL would evaluate a condition again wherever its flag is used.
  return tx.one(sql`
    select array[${join(held.map(({ isIn }) => sql`count(*) filter (where ${isIn})`))}]::int[] as each,
      ${oneOf(held)} as all, ${oneOf(held.filter((one) => one.isSafe))} as safe
    from (select ${join([sql`fld0`, ...flags])} from ${tx.t.subscriber} offset 0) as s ${joined}`);
}

/**
 * Counts in one pass how many subscribers pass all filters up to each, and how many the exclusions leave.
 * @param among see `SelectionOptions`
 */
export async function countNarrowing(tx: SiteDb, steps: TargetSteps, among?: number) {
  const { filters, afterExclusions } = steps;
  const subscribers = subscribersAmong(tx.t.subscriber, among);
  const cases = filters.map(({ condition }, i) => sql`when (${condition}) is not true then ${i}::int`);
  const passed = cases.length > 0 ? sql`case ${join(cases, ' ')} else ${cases.length}::int end` : sql`0`;
  const rows = await tx.rows<{ passed: number; count: number }>(sql`
    select passed, count(*) as count
    from (select ${passed} as passed from ${subscribers} offset 0) as narrowed group by passed`);
  const atLeast = (least: number) =>
    rows.reduce((sum, row) => (row.passed >= least ? sum + row.count : sum), 0);
  const afterFilters = filters.map((_, i) => atLeast(i + 1));
  const from = atLeast(0);
  const left = afterFilters.at(-1) ?? from;
  if (!afterExclusions) return { from, afterFilters, afterExclusions: left };
  const rest = sql`select count(*) as count from ${subscribers} where ${afterExclusions}`;
  return { from, afterFilters, afterExclusions: await tx.value<number>(rest) };
}
