import { isConnectionLost, isDeadlock } from '../db/database.ts';
import type { ErrorCode } from './error-codes.ts';
import { Refusal } from './refusal.ts';

/** PostgreSQL's codes for “try again later”: shutting down, starting up, too many or no connections. */
const away = /^(57P0[123]|53300|08|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)/;

/** PostgreSQL's code for a lock that was not granted within `lock_timeout`. */
const lockTimedOut = '55P03';

/** Seconds after which the conflicting requests have usually finished. */
const crossedRetryS = 1;

/**
 * Returns the refusal for an unexpected failure: 503 if the database is unavailable or too slow, broke a deadlock by
 * ending this request, or did not grant a lock in time, or if a disk is full; otherwise the failure is a defect, 500.
 * The refusal contains nothing of the failure's text; the failure is its `cause`.
 */
export function refusalOfFault(error: unknown): Refusal {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  const refusal = (status: number, word: ErrorCode, text: string, retryAfterS?: number) =>
    new Refusal(status, word, text, { retryAfterS, cause: error });
  if (code === '57014')
    return refusal(503, 'too_slow', 'The query exceeded the time limit; narrow the request or try again');
  if (isDeadlock(error) || code === lockTimedOut) {
    const text = 'The request conflicted with another one that writes the same records; try again';
    return refusal(503, 'crossed', text, crossedRetryS);
  }
  if (/^(53100|ENOSPC|EDQUOT)$/.test(code))
    return refusal(
      503,
      'disk_full',
      'A disk of the service is full; try again after its operator has freed space',
    );
  const isAway =
    away.test(code) || /timeout (exceeded when trying to connect|expired)|connection timeout/.test(message);
  if (isAway || isConnectionLost(error))
    return refusal(503, 'unavailable', 'The database is unavailable; try again in a moment');
  return refusal(500, 'internal', 'Internal error; the request id names it in the log');
}
