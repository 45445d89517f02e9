import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isConnectionLost } from '../db/database.ts';
import { Refusal, tooLarge } from './refusal.ts';
import { explain } from './validation.ts';

/** What every response under /v1 and /admin/v1 is. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: string | null;
  readonly typeName: string | null;
}

/** The envelope of a success. */
export function answer(data: unknown, typeName: string): Envelope {
  return { success: true, data, error: null, typeName };
}

/** Answers with the envelope of a failure; what is not a Refusal is logged and told without its text. */
export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asRefusal(error, request);
  if (error instanceof Refusal) {
    // On purpose: that something is away is news, but no defect with a stack to look at.
    if (refusal.status >= 500)
      request.log.warn({ code: refusal.code, error: error.message }, 'request refused');
  } else if (refusal.status >= 500) request.log.error({ err: error }, 'request failed');
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal.retryAfterS !== undefined) reply.header('retry-after', refusal.retryAfterS);
  const envelope: Envelope = { success: false, data: refusal.data, error: refusal.message, typeName: null };
  return reply.code(refusal.status).header('x-error-code', refusal.code).send(envelope);
}

/** PostgreSQL's answers that mean «not now»: shutting down, starting up, too many connections, no connection. */
const away = /^(57P0[123]|53300|08|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)/;

function asRefusal(error: Error, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  const known = error as FastifyError;
  if (known.validation) {
    const part = known.validationContext ?? 'body';
    return new Refusal(400, 'invalid_input', explain(known.validation as never, part));
  }
  if (known.statusCode === 413) {
    const megabytes = (request.routeOptions.bodyLimit ?? 0) / 1024 ** 2;
    return tooLarge(`The body is larger than the ${megabytes} MB that this operation takes`);
  }
  if (known.statusCode && known.statusCode >= 400 && known.statusCode < 500) {
    return new Refusal(400, 'malformed', malformedText(known));
  }
  if (known.code === '57014') {
    return new Refusal(
      503,
      'too_slow',
      'The database took longer than a request may; ask for less or try again',
    );
  }
  const isAway = away.test(known.code ?? '') || /timeout exceeded when trying to connect/.test(error.message);
  if (isAway || isConnectionLost(error)) {
    return new Refusal(503, 'unavailable', 'The database is away; try again in a moment');
  }
  return new Refusal(500, 'internal', 'Internal error; the request id names it in the log');
}

function malformedText(error: FastifyError): string {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'The body must be JSON (content-type: application/json)';
    default:
      return 'The body is not valid JSON';
  }
}
