import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller, Operation } from './operation.ts';

export interface Audited {
  readonly caller: Caller;
  /** Where it came from; null when that connection no longer exists. */
  readonly address: string | null;
  /** The data of the response; only its id is logged. */
  readonly data?: unknown;
}

/**
 * Writes the audit line of an administration call, whatever its response: who requested which operation on what. Of the
 * query and the body, only the names of known properties are logged: the values may be passwords, keys and people's
 * addresses.
 */
export function audit(
  operation: Operation,
  { caller: { idUser, idToken, idSession, userName }, address, data }: Audited,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const made = (data as { readonly id?: unknown } | null | undefined)?.id;
  const line = {
    audit: operation.id,
    idUser,
    ...(idSession === null ? { idToken } : { idSession }),
    user: userName,
    address,
    // The site's name and ids: what the path holds.
    of: request.params,
    ...(typeof made === 'number' && { id: made }),
    members: [...given(operation.query, request.query), ...given(operation.body, request.body)],
    status: reply.statusCode,
    error: reply.getHeader('x-error-code') ?? null,
  };
  request.log.info(line, 'administration');
}

function given(schema: TSchema | undefined, values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return [];
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  return Object.keys(properties).filter((name) => Object.hasOwn(values, name));
}
