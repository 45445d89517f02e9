import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The header by which a caller and the log name one request. */
export const requestIdHeader = 'x-request-id';

export const newRequestId = (): string => randomUUID();

/** Gives an answer outside of the router its id, before its head is written. */
export function giveRequestId(response: ServerResponse): void {
  response.setHeader(requestIdHeader, newRequestId());
}

/** The id that an answer was given, for the log. */
export const requestIdOf = (response: ServerResponse): unknown => response.getHeader(requestIdHeader);
