import { isConnectionLost, isDeadlock } from '../db/database.ts';
import type { ErrorCode } from './error-codes.ts';
import { Refusal } from './refusal.ts';

/** PostgreSQL's answers that mean “not now”: shutting down, starting up, too many connections, no connection. */
const away = /^(57P0[123]|53300|08|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)/;

/** Seconds after which others have done what was in the way. */
const crossedRetryS = 1;

/**
 * What is answered for a failure that nobody refused with: 503 where the database is unavailable or too slow, ended a
 * deadlock with this request, or where a disk is full; otherwise it is a defect, 500. Nothing of the failure's text is
 * in it; it is its `cause`.
 */
export function refusalOfFault(error: unknown): Refusal {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  const refusal = (status: number, word: ErrorCode, text: string, retryAfterS?: number) =>
    new Refusal(status, word, text, { retryAfterS, cause: error });
  if (code === '57014')
    return refusal(503, 'too_slow', 'The database took longer than a request may; ask for less or try again');
  if (isDeadlock(error)) {
    const text = 'Other requests were writing the same records in another order; try again';
    return refusal(503, 'crossed', text, crossedRetryS);
  }
  if (/^(53100|ENOSPC|EDQUOT)$/.test(code))
    return refusal(
      503,
      'disk_full',
      'A disk of the service is full; try again when its operator has made room',
    );
  const isAway =
    away.test(code) || /timeout (exceeded when trying to connect|expired)|connection timeout/.test(message);
  if (isAway || isConnectionLost(error))
    return refusal(503, 'unavailable', 'The database is away; try again in a moment');
  return refusal(500, 'internal', 'Internal error; the request id names it in the log');
}
