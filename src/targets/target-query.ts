import { join, type Sql, sql } from '../platform/db/sql.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import type { TargetDefinition } from './target.ts';

/** What a target's query is made over. */
export interface TargetSource {
  /** The site's table of subscribers. */
  readonly subscriber: Sql;
  /** The target and all that it excludes, at any depth. */
  readonly targets: ReadonlyMap<number, TargetDefinition>;
  /** What each enabled filter of theirs asks of a subscriber's row; may be null. */
  readonly conditions: ReadonlyMap<TargetFilter, Sql>;
}

/**
 * The query (`select fld0 …`) for whom a target selects: the conjunction of its enabled filters, less what its
 * excluded targets select, cut to its maximum or share. It gives a set, in no order; order decides only whom a cut
 * takes: the smallest ids, or anybody.
 */
export function targetQuery(source: TargetSource, id: number): Sql {
  const target = targetOf(source, id);
  const { pctSelect, maxSelect, isRandomMode } = target.parameters;
  const selected = sql`select fld0 from ${source.subscriber} where ${conditionOf(source, target)}`;
  const order = isRandomMode ? sql`random()` : sql`fld0`;
  if (maxSelect !== null) return sql`${selected} order by ${order} limit ${maxSelect}::int`;
  if (pctSelect === 100) return selected;
  // Rounded up, in integers.
  return sql`
    with selected as materialized (${selected})
    select fld0 from selected order by ${order}
    limit (select (count(*) * ${pctSelect}::int + 99) / 100 from selected)`;
}

/**
 * The same as a condition on a subscriber's row, which costs no scan of its own beside others; undefined for a target
 * that is cut, since no row tells whom a cut leaves.
 */
export function targetCondition(source: TargetSource, id: number): Sql | undefined {
  const target = targetOf(source, id);
  const { pctSelect, maxSelect } = target.parameters;
  return maxSelect === null && pctSelect === 100 ? sql`(${conditionOf(source, target)})` : undefined;
}

function conditionOf(source: TargetSource, target: TargetDefinition): Sql {
  const filters = target.filters.filter((filter) => filter.isEnabled);
  const conditions = [
    ...filters.map((filter) => filterCondition(source, filter)),
    ...target.parameters.excludedTargets.map((id) => isNotIn(source, targetOf(source, id))),
  ];
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ');
}

function filterCondition({ conditions }: TargetSource, filter: TargetFilter): Sql {
  const condition = conditions.get(filter);
  // To leave it out would select more people, so nothing continues.
  if (!condition) throw new Error(`A filter of target ${filter.idTarget} was not compiled: ${filter.kind}`);
  return condition;
}

/**
 * Condition on a subscriber's row: an excluded target does not select it. A target that cuts nothing is a condition
 * itself, which costs nothing beside the scan of the table; one that cuts has to be worked out and joined.
 */
function isNotIn(source: TargetSource, excluded: TargetDefinition): Sql {
  if (!cuts(source, excluded)) return sql`(${conditionOf(source, excluded)}) is not true`;
  return sql`not exists (select from (${targetQuery(source, excluded.id)}) as cut(id) where cut.id = fld0)`;
}

/** Whether the target or one that it excludes, at any depth, takes less than all whom its filters select. */
function cuts(source: TargetSource, { parameters }: TargetDefinition): boolean {
  if (parameters.maxSelect !== null || parameters.pctSelect < 100) return true;
  return parameters.excludedTargets.some((id) => cuts(source, targetOf(source, id)));
}

function targetOf({ targets }: TargetSource, id: number): TargetDefinition {
  const target = targets.get(id);
  // A target that others exclude cannot be deleted; to leave it out would select more people, so nothing continues.
  if (!target) throw new Error(`Target ${id} is excluded by another target, but does not exist`);
  return target;
}
