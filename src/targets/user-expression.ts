import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict, invalid, type Refusal } from '../platform/http/refusal.ts';
import { parisZone } from '../platform/paris-time.ts';

/** Subscribers that a new expression is tried on, and the time that this may take: 20 µs a subscriber. */
const triedOn = 100_000;
const trialMs = 2_000;

/**
 * Tries an expression that a user gives: PostgreSQL plans it and runs it over some subscribers, unable to change
 * anything and not for long. So mistakes of types, and values that it fails on, are told when it is set.
 * @throws 400 with PostgreSQL's reason.
 */
export async function tryUserExpression(tx: SiteDb, expression: Sql): Promise<void> {
  // What is set after a savepoint is undone with it: the transaction may write again afterwards, and take its time.
  await tx.run(sql`savepoint trial`);
  await tx.run(sql`set local transaction_read_only = on`);
  await tx.run(sql`select set_config('statement_timeout', ${String(trialMs)}, true)`);
  try {
    await planUserExpression(tx, expression);
    await tx.run(sql`
      select count(*) from (select * from ${tx.t.subscriber} limit ${triedOn}::int) as tried where ${expression}`);
  } catch (error) {
    if ((error as { code?: string }).code === '57014')
      throw invalid(`sql: takes too long: over ${trialMs / 1000} s for ${triedOn} subscribers`);
    throw mistakeIn(error, (reason) => invalid(`sql: ${reason}`)) ?? error;
  }
  await tx.run(sql`rollback to savepoint trial`);
}

/**
 * Has PostgreSQL plan an expression that is about to be used in this transaction, and makes its dates Paris dates until
 * the transaction's end. The plan is the second wall: it tells which tables a statement reads, whatever our own reading
 * of the expression missed.
 * @throws 409 with PostgreSQL's reason when the expression has no meaning over the site's fields as they are now.
 */
export async function prepareUserExpression(tx: SiteDb, idTarget: number, expression: Sql): Promise<void> {
  try {
    await planUserExpression(tx, expression);
  } catch (error) {
    const told = (reason: string) => conflict(`The SQL filter of target ${idTarget}: ${reason}; set it anew`);
    throw mistakeIn(error, told) ?? error;
  }
}

/** Classes 42, 22 and 0A are what an expression can have wrong, 54 what PostgreSQL finds too complex. */
function mistakeIn(error: unknown, told: (reason: string) => Refusal): Refusal | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  return /^(42|22|0A|54)/.test(code) ? told(message) : undefined;
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

async function planUserExpression(tx: SiteDb, expression: Sql): Promise<void> {
  await tx.run(sql`select set_config('TimeZone', ${parisZone}, true)`);
  const explained = await tx.one<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(sql`
    explain (verbose, format json) select fld0 from ${tx.t.subscriber} where ${expression}`);
  refuseReachOf(tx, explained['QUERY PLAN'][0]!.Plan);
}

function refuseReachOf(tx: SiteDb, plan: Plan): void {
  const table = plan['Relation Name'];
  const isForeign = table !== undefined && (table !== 'subscriber' || plan.Schema !== tx.site.schema);
  // A defect of ours, so no refusal: it has to be seen.
  if (isForeign || plan['Subplan Name'] !== undefined || !steps.test(plan['Node Type']))
    throw new Error(
      `A SQL filter reaches beyond the subscribers: ${plan['Node Type']} ${plan.Schema}.${table}`,
    );
  for (const part of plan.Plans ?? []) refuseReachOf(tx, part);
}
