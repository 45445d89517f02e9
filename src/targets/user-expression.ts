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

/** Number of subscribers that a new expression is tried on, and the time limit: 20 µs a subscriber. */
const triedOn = 100_000;
const trialMs = 2_000;
/** Ids in one result: 32 MB, twice that as text. */
const idsAtOnce = 4_194_304;
/** Expressions in one pass over the subscribers. */
const atOnce = 32;

/** Some of a site's subscribers: a number of those with the lowest ids, or one. */
export type Among = number | { readonly idSubscriber: number };

/** The subscribers that an expression is evaluated for; all if `among` is undefined. */
export function subscribersAmong(subscriber: Sql, among: Among | undefined): Sql {
  if (among === undefined) return subscriber;
  if (typeof among === 'number')
    return sql`(select * from ${subscriber} order by fld0 limit ${among}::int) as subscriber`;
  return sql`(select * from ${subscriber} where fld0 = ${among.idSubscriber}::int) as subscriber`;
}

export interface UserExpression {
  readonly idTarget: number;
  readonly expression: Sql;
}

/**
 * Tries a new expression: PostgreSQL plans it and runs it over some subscribers, with the rights of the site's reader
 * and a short time limit. So errors of types and values are reported when it is set.
 * @param among see `SelectionOptions`
 * @throws 400 with the reason.
 */
export async function tryUserExpression(
  app: App,
  db: SiteDb,
  expression: Sql,
  site: ExpressionSite,
  among?: number,
): Promise<void> {
  const subscribers = among
    ? subscribersAmong(db.t.subscriber, among)
    : sql`(select * from ${db.t.subscriber} limit ${triedOn}::int) as tried`;
  await asSiteReader(app, db, {}, async (reader) => {
    await setZone(reader);
    await setTimeLimit(reader, String(trialMs));
    const told = (reason: string) => invalid(`sql: ${reason}`);
    try {
      await planUserExpression(db, reader, { expression, site, told });
      await reader.run(sql`select count(*) from ${subscribers} where ${expression}`);
    } catch (error) {
      if ((error as { code?: string }).code === '57014')
        throw invalid(
          `sql: takes too long, over ${trialMs / 1000} s for ${among ?? triedOn} subscribers; simplify it`,
        );
      const failure = error as DatabaseFailure;
      throw isMistake(failure) ? told(failureInWords(failure.code)) : error;
    }
  });
}

/**
 * Evaluates users' expressions and returns the subscribers that they select, as conditions on `fld0` that are never
 * null, by the expression's text. This is the only place that evaluates them: as the site's reader, who can see the
 * site's subscribers and nothing else, and change nothing. No other statement contains a user's text.
 * @param among see `SelectionOptions`
 * @param snapshot of the transaction that uses the conditions; without one the expressions are read at another moment.
 * @throws 409 with the reason when an expression has no meaning over the site's current fields; otherwise as
 * `evaluating`.
 */
export async function selectByExpressions(
  app: App,
  db: SiteDb,
  snapshot: string | undefined,
  expressions: readonly UserExpression[],
  site: ExpressionSite,
  limit: TimeLimit,
  among?: Among,
): Promise<ReadonlyMap<string, Sql>> {
  const sets = [...new Set(expressions.map(({ expression }) => expression.text))].map(
    (text) => [text, new IdSet()] as const,
  );
  await planByReader(app, db, expressions, site, limit, snapshot, async (reader) => {
    for (let i = 0; i < sets.length; i += atOnce)
      await fill(db, reader, sets.slice(i, i + atOnce), limit, among);
  });
  return new Map(sets.map(([text, set]) => [text, set.condition()]));
}

/**
 * Makes PostgreSQL plan users' expressions as it would evaluate them, without evaluating them.
 * @param evaluate what follows in the same transaction
 * @throws as `selectByExpressions`, except for errors that only values cause.
 */
export async function planByReader(
  app: App,
  db: SiteDb,
  expressions: readonly UserExpression[],
  site: ExpressionSite,
  limit: TimeLimit,
  snapshot?: string,
  evaluate: (reader: Connection) => Promise<void> = async () => undefined,
): Promise<void> {
  await asSiteReader(app, db, { snapshot, signal: limit.signal }, async (reader) => {
    await setZone(reader);
    const work = async () => {
      for (const { idTarget, expression } of expressions) {
        const told = (reason: string) =>
          conflict(
            `The SQL filter of target ${idTarget} fails: ${reason}; correct the filter and set it again`,
          );
        await planUserExpression(db, reader, { expression, site, told });
      }
      await evaluate(reader);
    };
    await evaluating(reader, limit, work, nameOf(expressions));
  });
}

/** The name in refusals: expressions share a pass, and a failure does not show which one caused it. */
function nameOf(expressions: readonly UserExpression[]): string {
  const ids = [...new Set(expressions.map(({ idTarget }) => idTarget))];
  return `The SQL filter of ${ids.length === 1 ? 'target' : 'one of the targets'} ${ids.join(', ')}`;
}

/** Adds the ids that each expression selects to its set, in pieces, so that a large site takes no more memory. */
async function fill(
  db: SiteDb,
  reader: Connection,
  sets: readonly (readonly [text: string, set: IdSet])[],
  limit: TimeLimit,
  among: Among | undefined,
): Promise<void> {
  const subscriber = subscribersAmong(db.t.subscriber, among);
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

/** One pass for all expressions. PostgreSQL can use an index only for a single one. */
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
 * Classes 42, 22 and 0A are mistakes in an expression, 54 is one that is too complex. A missing right is a defect in
 * the service, and must surface as one.
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

/** Steps of a plan that read one table or its indexes, or nothing. */
const steps =
  /^(Seq Scan|Index Scan|Index Only Scan|Bitmap Heap Scan|Bitmap Index Scan|BitmapOr|BitmapAnd|Gather|Result)$/;

async function setZone(reader: Connection): Promise<void> {
  await reader.run(sql`select set_config('TimeZone', ${parisZone}, true)`);
}

/** An expression to plan, its site, and the refusal that a mistake in it becomes. */
interface Planned {
  readonly expression: Sql;
  readonly site: ExpressionSite;
  told(reason: string): Refusal;
}

/** Makes PostgreSQL plan an expression: the plan shows the tables that it reads, whatever our own checks missed. */
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
  // A defect in the service, so not a refusal: it must surface.
  if (isForeign || plan['Subplan Name'] !== undefined || !steps.test(plan['Node Type']))
    throw new Error(
      `A SQL filter reaches beyond the subscribers: ${plan['Node Type']} ${plan.Schema}.${table}`,
    );
  for (const part of plan.Plans ?? []) refuseReachOf(db, part);
}
