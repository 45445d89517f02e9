import type { App } from '../platform/app.ts';
import type { Connection } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { conflict, invalid, type Refusal } from '../platform/http/refusal.ts';
import { parisZone } from '../platform/paris-time.ts';
import { evaluating, setTimeLimit, type TimeLimit } from './evaluation.ts';
import {
  type DatabaseFailure,
  type ExpressionSite,
  failureInWords,
  mistakeInWords,
} from './filters/sql-mistake.ts';
import { IdSet } from './id-set.ts';
import { asSiteReader } from './site-reader.ts';

/** Subscribers that a new expression is attempted on, and the time that this may take: 20 µs a subscriber. */
const triedOn = 100_000;
const trialMs = 2_000;
/** Ids that are read at a time: 32 MB, twice as text. */
const idsAtOnce = 4_194_304;
/** Expressions that are asked in one pass over the subscribers. */
const atOnce = 32;

/** An expression as `sql-expression.ts` prints it, and the target that holds it. */
export interface UserExpression {
  readonly idTarget: number;
  readonly expression: Sql;
}

/**
 * Tries an expression that a user gives: PostgreSQL plans it and runs it over some subscribers, with the rights of the
 * site's reader and not for long. So mistakes of types, and values that it fails on, are told when it is set.
 * @throws 400 with the reason.
 */
export async function tryUserExpression(
  app: App,
  db: SiteDb,
  expression: Sql,
  site: ExpressionSite,
): Promise<void> {
  await asSiteReader(app, db, {}, async (reader) => {
    await setZone(reader);
    await setTimeLimit(reader, String(trialMs));
    const told = (reason: string) => invalid(`sql: ${reason}`);
    try {
      await planUserExpression(db, reader, { expression, site, told });
      await reader.run(sql`
        select count(*) from (select * from ${db.t.subscriber} limit ${triedOn}::int) as tried where ${expression}`);
    } catch (error) {
      if ((error as { code?: string }).code === '57014')
        throw invalid(`sql: takes too long: over ${trialMs / 1000} s for ${triedOn} subscribers`);
      const failure = error as DatabaseFailure;
      throw isMistake(failure) ? told(failureInWords(failure.code)) : error;
    }
  });
}

/**
 * Whom expressions of users select, as conditions on `fld0` that are never null, by the expression's text. They are
 * evaluated here and nowhere else: as the site's reader, who can see the site's subscribers and nothing else, and
 * change nothing. No other statement holds what a user wrote.
 * @param snapshot of the transaction that uses the conditions; without one they are of some moment in between.
 * @throws 409 with the reason when an expression has no meaning over the site's fields as they are now; as
 *   `evaluating` otherwise.
 */
export async function selectByExpressions(
  app: App,
  db: SiteDb,
  snapshot: string | undefined,
  expressions: readonly UserExpression[],
  site: ExpressionSite,
  limit: TimeLimit,
): Promise<ReadonlyMap<string, Sql>> {
  const sets = new Map(expressions.map(({ expression }) => [expression.text, new IdSet()]));
  await asSiteReader(app, db, { snapshot, signal: limit.signal }, async (reader) => {
    await setZone(reader);
    const work = async () => {
      await planAll(db, reader, expressions, site);
      const all = [...sets];
      for (let i = 0; i < all.length; i += atOnce) await fill(db, reader, all.slice(i, i + atOnce), limit);
    };
    await evaluating(reader, limit, work, nameOf(expressions));
  });
  return new Map([...sets].map(([text, set]) => [text, set.condition()]));
}

/**
 * Has PostgreSQL plan expressions of users as it would evaluate them, and evaluates none.
 * @throws as `selectByExpressions`, but for what only shows on values.
 */
export async function planByReader(
  app: App,
  db: SiteDb,
  expressions: readonly UserExpression[],
  site: ExpressionSite,
  limit: TimeLimit,
): Promise<void> {
  await asSiteReader(app, db, { signal: limit.signal }, async (reader) => {
    await setZone(reader);
    await evaluating(reader, limit, () => planAll(db, reader, expressions, site), nameOf(expressions));
  });
}

/** Several are evaluated in one pass, which does not tell on which of them it failed. */
function nameOf(expressions: readonly UserExpression[]): string {
  const ids = [...new Set(expressions.map(({ idTarget }) => idTarget))];
  return `The SQL filter of ${ids.length === 1 ? 'target' : 'one of the targets'} ${ids.join(', ')}`;
}

async function planAll(
  db: SiteDb,
  reader: Connection,
  expressions: readonly UserExpression[],
  site: ExpressionSite,
): Promise<void> {
  for (const { idTarget, expression } of expressions) {
    const told = (reason: string) =>
      conflict(`The SQL filter of target ${idTarget} fails: ${reason}; correct the filter and set it again`);
    await planUserExpression(db, reader, { expression, site, told });
  }
}

/** Adds to each set those whom its expression selects; in pieces, so that a large site takes no more memory. */
async function fill(
  db: SiteDb,
  reader: Connection,
  sets: readonly (readonly [text: string, set: IdSet])[],
  limit: TimeLimit,
): Promise<void> {
  const { subscriber } = db.t;
  const { least, most } = await reader.one<{ least: number | null; most: number | null }>(
    sql`select min(fld0) as least, max(fld0) as most from ${subscriber}`,
  );
  if (least === null || most === null) return;
  for (let from = least; from <= most; from += idsAtOnce) {
    const isWhole = from === least && most - from < idsAtOnce;
    const piece = sql`fld0 >= ${from}::int and fld0 < ${from + idsAtOnce}::bigint`;
    const query = idsQuery(
      subscriber,
      sets.map(([text]) => raw(text)),
      isWhole ? [] : [piece],
    );
    await setTimeLimit(reader, limit.left());
    const found = await reader.one<Record<string, Buffer | null>>(query);
    for (const [i, [, set]] of sets.entries()) set.add(found[`ids${i}`] ?? Buffer.alloc(0));
  }
}

/** One pass for all. A single expression is where PostgreSQL can use an index for it. */
function idsQuery(subscriber: Sql, expressions: readonly Sql[], conditions: readonly Sql[]): Sql {
  const ids = sql`string_agg(int4send(fld0), '')`;
  const [first, ...more] = expressions;
  const columns =
    more.length === 0
      ? [sql`${ids} as ids0`]
      : expressions.map((one, i) => sql`${ids} filter (where ${one}) as ${raw(`ids${i}`)}`);
  const where = [sql`true`, ...conditions, ...(more.length === 0 ? [sql`(${first!})`] : [])];
  return sql`select ${join(columns)} from ${subscriber} where ${join(where, ' and ')}`;
}

/**
 * Classes 42, 22 and 0A are what an expression can have wrong, 54 what PostgreSQL finds too complex. Not a missing
 * right: that is a defect of ours, which has to be seen.
 */
function isMistake({ code = '' }: DatabaseFailure): boolean {
  return /^(42|22|0A|54)/.test(code) && code !== '42501';
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Schema?: string;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Steps of a plan that read rows of one table, find them in its indexes, or read nothing. */
const steps =
  /^(Seq Scan|Index Scan|Index Only Scan|Bitmap Heap Scan|Bitmap Index Scan|BitmapOr|BitmapAnd|Gather|Result)$/;

/** Dates without an offset are Paris dates. */
async function setZone(reader: Connection): Promise<void> {
  await reader.run(sql`select set_config('TimeZone', ${parisZone}, true)`);
}

/** What is planned, what it is read against, and the refusal that a mistake in it becomes. */
interface Planned {
  readonly expression: Sql;
  readonly site: ExpressionSite;
  told(reason: string): Refusal;
}

/**
 * Has PostgreSQL plan an expression: the plan shows which tables a statement reads, whatever our own reading of the
 * expression missed.
 */
async function planUserExpression(
  db: SiteDb,
  reader: Connection,
  { expression, site, told }: Planned,
): Promise<void> {
  const statement = sql`
    explain (verbose, format json) select fld0 from ${db.t.subscriber} where ${expression}`;
  try {
    const explained = await reader.one<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(statement);
    refuseReachOf(db, explained['QUERY PLAN'][0]!.Plan);
  } catch (error) {
    const failure = error as DatabaseFailure;
    throw isMistake(failure) ? told(mistakeInWords(failure, site, expression.text, statement.text)) : error;
  }
}

function refuseReachOf(db: SiteDb, plan: Plan): void {
  const table = plan['Relation Name'];
  const isForeign = table !== undefined && (table !== 'subscriber' || plan.Schema !== db.site.schema);
  // A defect of ours, so no refusal: it has to be seen.
  if (isForeign || plan['Subplan Name'] !== undefined || !steps.test(plan['Node Type']))
    throw new Error(
      `A SQL filter reaches beyond the subscribers: ${plan['Node Type']} ${plan.Schema}.${table}`,
    );
  for (const part of plan.Plans ?? []) refuseReachOf(db, part);
}
