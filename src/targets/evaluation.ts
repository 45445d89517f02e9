import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { Refusal, refused } from '../platform/http/refusal.ts';
import { failureInWords } from './filters/sql-mistake.ts';

/**
 * Time limit of an evaluation, however many statements it takes; it runs from its construction. A signal ends the
 * evaluation earlier: no further statement begins, and the SQL filter that is being evaluated is cancelled.
 */
export class TimeLimit {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly #end: number;

  constructor(ms: number, signal?: AbortSignal) {
    this.ms = ms;
    this.signal = signal;
    this.#end = performance.now() + ms;
  }

  /**
   * Milliseconds for the next statement, as PostgreSQL's `statement_timeout`, in which 0 would be no limit.
   * @throws the signal's reason
   */
  left(): string {
    this.signal?.throwIfAborted();
    return String(Math.max(1, Math.ceil(this.#end - performance.now())));
  }
}

/**
 * Runs statements over sets of targets within the rest of a time limit. A user's expression can fail on the values of
 * one subscriber, or take too long over all of them; the refusal says which.
 * @param what is evaluated, as the refusals call it.
 * @throws 422 with the reason, 503 when a statement took too long.
 */
export async function evaluating<T>(
  tx: Connection,
  limit: TimeLimit,
  work: () => Promise<T>,
  what = 'The target',
): Promise<T> {
  const before = await tx.value<string>(sql`select current_setting('statement_timeout') as before`);
  await setTimeLimit(tx, limit.left());
  try {
    const result = await work();
    // The transaction's other statements keep the limit that they had.
    await setTimeLimit(tx, before);
    return result;
  } catch (error) {
    throw evaluationRefusal(error, limit, what) ?? error;
  }
}

/** Makes PostgreSQL cancel each of the transaction's next statements after `limit` milliseconds (`TimeLimit.left`). */
export async function setTimeLimit(tx: Connection, limit: string): Promise<void> {
  await tx.run(sql`select set_config('statement_timeout', ${limit}, true)`);
}

/** Returns the refusal for an error that the values of subscribers caused; undefined for any other error. */
function evaluationRefusal(error: unknown, limit: TimeLimit, what: string): Refusal | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  if (isOfValues(code, message))
    return refused(`${what} cannot be evaluated on these subscribers: ${failureInWords(code)}`);
  if (code !== '57014') return undefined;
  const seconds = Math.round(limit.ms / 1000);
  return new Refusal(
    503,
    'too_slow',
    `${what} took longer than ${seconds} s to evaluate; simplify its filters`,
  );
}

/**
 * Class 22 are data exceptions, for example division by zero. The others are units and patterns that date_part and
 * to_char cannot use.
 */
function isOfValues(code: string, message: string): boolean {
  return (
    code.startsWith('22') || code === '0A000' || (code === '42601' && !message.startsWith('syntax error'))
  );
}
