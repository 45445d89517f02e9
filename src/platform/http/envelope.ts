import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOfFault } from './fault.ts';
import { Refusal, tooLarge } from './refusal.ts';
import { explain } from './validation.ts';

/** Every response under /v1 and /admin/v1. */
export interface Envelope {
  readonly success: boolean;
  readonly data: unknown;
  readonly error: string | null;
  readonly typeName: string | null;
}

export function answer(data: unknown, typeName: string): Envelope {
  return { success: true, data, error: null, typeName };
}

/** Sends the envelope of a failure. An error that is not a Refusal is logged, and its text is not sent. */
export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asRefusal(error, request);
  if (refusal.status >= 500) {
    // On purpose: that something is unavailable is news, but no defect with a stack to look at.
    if (refusal.cause === undefined)
      request.log.warn({ code: refusal.code, error: refusal.message }, 'request refused');
    else request.log.error({ err: refusal.cause }, 'request failed');
  }
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal.retryAfterS !== undefined) reply.header('retry-after', refusal.retryAfterS);
  const envelope: Envelope = { success: false, data: refusal.data, error: refusal.message, typeName: null };
  return reply.code(refusal.status).header('x-error-code', refusal.code).send(envelope);
}

/** 413: a body with more mebibytes than its operation accepts. */
export const bodyTooLarge = (megabytes: number) =>
  tooLarge(`The body is larger than the ${megabytes} MB that this operation takes`);

function asRefusal(error: Error, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  const known = error as FastifyError;
  if (known.validation) {
    const part = known.validationContext ?? 'body';
    // Fastify's type of what our own Ajv found is wider than Ajv's.
    return new Refusal(400, 'invalid_input', explain(known.validation as never, part));
  }
  if (known.statusCode === 413) {
    return bodyTooLarge((request.routeOptions.bodyLimit ?? 0) / 1024 ** 2);
  }
  if (known.statusCode && known.statusCode >= 400 && known.statusCode < 500) {
    const isOtherType = known.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
    const text = isOtherType ? 'must be JSON (content-type: application/json)' : 'is not valid JSON';
    return new Refusal(400, 'malformed', `The body ${text}`);
  }
  return refusalOfFault(error);
}
