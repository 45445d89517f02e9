import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal, refused } from '../platform/http/refusal.ts';
import { Places } from '../platform/places.ts';

/** Of the 20 connections that the sites share: less than half, so that short requests always find one. */
const limits = { perOwner: 2, inAll: 8, waiting: 30, patienceMs: 30_000 };
const placesOf = new WeakMap<App, Places>();

/**
 * Runs work over a whole site that somebody waits for, in one of the places of the site: its counts, which may take
 * seconds each, cannot take the connections that other sites need.
 * @throws 429 when too much of the site's waits already.
 */
export async function inTurn<T>(app: App, db: SiteDb, work: () => Promise<T>): Promise<T> {
  const places = placesOf.get(app) ?? new Places(limits);
  placesOf.set(app, places);
  return places.run(db.site.schema, work);
}

/**
 * Runs statements over sets of targets, each of which may take so long. An expression that a user wrote can fail on
 * the values of one subscriber, or take too long over all of them; that is told as what it is.
 * @throws 422 with PostgreSQL's reason, 503 when a statement took too long.
 */
export async function evaluating<T>(tx: SiteDb, limitMs: number, work: () => Promise<T>): Promise<T> {
  const { before } = await tx.one<{ before: string }>(
    sql`select current_setting('statement_timeout') as before`,
  );
  await setTimeLimit(tx, String(limitMs));
  try {
    const result = await work();
    // What the transaction does besides may take as long as before.
    await setTimeLimit(tx, before);
    return result;
  } catch (error) {
    throw evaluationRefusal(error, limitMs) ?? error;
  }
}

async function setTimeLimit(tx: SiteDb, limit: string): Promise<void> {
  await tx.run(sql`select set_config('statement_timeout', ${limit}, true)`);
}

/** The refusal that a failure of PostgreSQL's over values of subscribers is, if it is one. */
function evaluationRefusal(error: unknown, limitMs: number): Refusal | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  if (isOfValues(code, message))
    return refused(`The target cannot be evaluated on these subscribers: ${message}`);
  if (code !== '57014') return undefined;
  const seconds = Math.round(limitMs / 1000);
  return new Refusal(
    503,
    'too_slow',
    `The target took longer than ${seconds} s to evaluate; simplify its filters`,
  );
}

/**
 * Class 22, data exceptions: division by zero, a text that is no date; and what date_part and to_char say of a unit or
 * a pattern that they cannot use. Their texts name values, never our SQL.
 */
function isOfValues(code: string, message: string): boolean {
  return (
    code.startsWith('22') || code === '0A000' || (code === '42601' && !message.startsWith('syntax error'))
  );
}
