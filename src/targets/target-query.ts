import { join, type Sql, sql } from '../platform/db/sql.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import type { TargetDefinition } from './target.ts';

/** The parts of a target's query. */
export interface TargetSource {
  /** The site's table of subscribers. */
  readonly subscriber: Sql;
  /** The target and all that it excludes, at any depth. */
  readonly targets: ReadonlyMap<number, TargetDefinition>;
  /** The condition of each enabled filter on a subscriber's row; may be null. */
  readonly conditions: ReadonlyMap<TargetFilter, Sql>;
}

/**
 * The query (`select fld0 …`) of the subscribers that a target selects: the conjunction of its enabled filters, less
 * the members of its excluded targets, cut to its maximum or share. The set has no order; order only decides which
 * subscribers a cut keeps: the smallest ids, or random ones.
 * @param subscribers the table that it selects from
 */
export function targetQuery(source: TargetSource, id: number, subscribers = source.subscriber): Sql {
  const target = targetOf(source, id);
  const { pctSelect, maxSelect, isRandomMode } = target.parameters;
  const selected = sql`select fld0 from ${subscribers} where ${conditionOf(source, target)}`;
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
 * The members of a target as a condition on a subscriber's row, which needs no scan of its own. Undefined for a target
 * that is cut, because a row does not show whether a cut keeps it.
 */
export function targetCondition(source: TargetSource, id: number): Sql | undefined {
  const target = targetOf(source, id);
  return isCut(target) ? undefined : sql`(${conditionOf(source, target)})`;
}

/**
 * Whether a target selects a subscriber, as an expression over their row, which no other row is read for: true, false,
 * or null where only a cut decides, of the target itself or of one that it excludes at any depth.
 */
export function rowMembership(source: TargetSource, id: number): Sql {
  const target = targetOf(source, id);
  const filters = target.filters.filter((filter) => filter.isEnabled);
  const parts = [
    // A filter may be null, and then selects no one.
    ...filters.map((filter) => sql`(${filterCondition(source, filter)}) is true`),
    ...target.parameters.excludedTargets.map((excluded) => sql`not ${rowMembership(source, excluded)}`),
    isCut(target) ? sql`null::boolean` : sql`true`,
  ];
  return sql`(${join(parts, ' and ')})`;
}

const isCut = ({ parameters: { maxSelect, pctSelect } }: TargetDefinition) =>
  maxSelect !== null || pctSelect < 100;

/** The conditions on a subscriber's row that a target consists of, in the order of its filters, and its query. */
export interface TargetSteps {
  readonly filters: readonly { readonly kind: string; readonly condition: Sql }[];
  /** All filters and exclusions together; undefined when the target excludes no other. */
  readonly afterExclusions: Sql | undefined;
  /** The subscribers that the target selects among those of a table; see `targetQuery`. */
  readonly queryAmong: (subscribers: Sql) => Sql;
}

export function targetSteps(source: TargetSource, id: number): TargetSteps {
  const target = targetOf(source, id);
  const filters = target.filters.filter((filter) => filter.isEnabled);
  return {
    filters: filters.map((filter) => ({ kind: filter.kind, condition: filterCondition(source, filter) })),
    afterExclusions: target.parameters.excludedTargets.length > 0 ? conditionOf(source, target) : undefined,
    queryAmong: (subscribers) => targetQuery(source, id, subscribers),
  };
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
  // Omitting it would select more people, so this fails.
  if (!condition) throw new Error(`A filter of target ${filter.idTarget} was not compiled: ${filter.kind}`);
  return condition;
}

/**
 * Condition on a subscriber's row: an excluded target does not select it. A target without a cut is a condition itself,
 * which costs nothing beside the scan of the table; one with a cut is evaluated and joined.
 */
function isNotIn(source: TargetSource, excluded: TargetDefinition): Sql {
  if (!cuts(source, excluded)) return sql`(${conditionOf(source, excluded)}) is not true`;
  return sql`not exists (select from (${targetQuery(source, excluded.id)}) as cut(id) where cut.id = fld0)`;
}

/** Whether the target, or one that it excludes at any depth, has a maximum or a share. */
function cuts(source: TargetSource, target: TargetDefinition): boolean {
  return isCut(target) || target.parameters.excludedTargets.some((id) => cuts(source, targetOf(source, id)));
}

function targetOf({ targets }: TargetSource, id: number): TargetDefinition {
  const target = targets.get(id);
  // A target that others exclude cannot be deleted. Omitting it would select more people, so this fails.
  if (!target) throw new Error(`Target ${id} is excluded by another target, but does not exist`);
  return target;
}
