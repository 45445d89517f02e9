import type { ErrorCode } from './error-codes.ts';

export interface RefusalDetails {
  /** The envelope's `data`: null, except for operations that report partial work. */
  readonly data?: unknown;
  /** Seconds until a retry makes sense, sent as the header `retry-after`. */
  readonly retryAfterS?: number | undefined;
  /** The failure behind it, for the log alone. */
  readonly cause?: unknown;
}

/** A deliberate failure. Any other error that is thrown is a defect, and becomes a 500 without its text. */
export class Refusal extends Error {
  readonly status: number;
  /** Stable machine-readable code, sent as the header `x-error-code`. */
  readonly code: ErrorCode;
  readonly data: unknown;
  readonly retryAfterS: number | undefined;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    { data = null, retryAfterS, cause }: RefusalDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.data = data;
    this.retryAfterS = retryAfterS;
  }

  /** Returns this refusal with another message, and the work that was done before it. */
  saying(message: string, data: unknown): Refusal {
    const { status, code, cause, retryAfterS } = this;
    return new Refusal(status, code, message, { data, retryAfterS, cause });
  }
}

/** 400: the input breaks a rule. The message names the member and the rule. */
export const invalid = (message: string, data: unknown = null) =>
  new Refusal(400, 'invalid_input', message, { data });
/** 401: no token, or one that is not or no longer valid. */
export const unauthenticated = () =>
  new Refusal(401, 'unauthenticated', 'A valid bearer token is required in the Authorization header');
/** 401: a sign-in that fails, whatever the reason. */
export const wrongPassword = () => new Refusal(401, 'unauthenticated', 'The email or password is incorrect');
/** 403: administration, requested with a token that reaches only some sites. */
export const notOfAllSites = () =>
  new Refusal(
    403,
    'forbidden',
    "Administration needs a token of all sites with the role 'admin'; this token reaches only some sites",
  );
/** 403: the token's role lacks the right that the operation needs. */
export const forbidden = (right: string) =>
  new Refusal(403, 'forbidden', `The token lacks the right '${right}' that this operation needs`);
/** 403: the role of a session's user lacks the right that the operation needs. */
export const forbiddenToUser = (right: string) =>
  new Refusal(403, 'forbidden', `Your role lacks the right '${right}' that this operation needs`);
/** 403: administration, requested with the session of a user who is no administrator. */
export const notAdministrator = () =>
  new Refusal(403, 'forbidden', 'Administration is for administrators of the installation');
/** 403: a change with a session's cookie, or a sign-in, from a page of another origin. */
export const foreignOrigin = () =>
  new Refusal(
    403,
    'forbidden',
    "The header Origin must name the service's own address; if a proxy serves it under another one, " +
      'set FACTEUR_PUBLIC_URL',
  );
/** 404 for an unknown `thing`, by the document's name; `member` is the property that names it, if in the body. */
export const notFound = (thing: string, member?: string) =>
  new Refusal(404, 'not_found', `${member === undefined ? '' : `${member}: `}${thing} not found`);
/** Returns the result of a look-up or a change. @throws 404, as `notFound`, if it is undefined or false */
export function found<T>(thing: T | undefined | false, name: string, member?: string): T {
  if (thing === undefined || thing === false) throw notFound(name, member);
  return thing;
}

/** 408: the request did not come in whole within its time. */
export const requestTimeout = () =>
  new Refusal(408, 'timeout', 'The request did not come to its end in time');
/** 412: the record has another version than the one that If-Match names. */
export const changedMeanwhile = () =>
  new Refusal(
    412,
    'changed',
    'The record has changed since it was read; read it again, and make the change to what it is now',
  );
/** 412: If-None-Match is `*`, and the record exists. */
export const alreadyThere = () =>
  new Refusal(412, 'changed', 'The record already exists; read it, and change it with If-Match');
/** 409: conflicts with the record's state or with another record. */
export const conflict = (message: string, data: unknown = null) =>
  new Refusal(409, 'conflict', message, { data });
/** 413: larger than the operation takes. */
export const tooLarge = (message: string) => new Refusal(413, 'too_large', message);
/** 422: well-formed, but a rule of the domain refuses it. */
export const refused = (message: string) => new Refusal(422, 'refused', message);
/** 429: too many requests, or too many runs of something at once. */
export const tooMany = (message: string, retryAfterS?: number) =>
  new Refusal(429, 'too_many', message, { retryAfterS });
/** 503: something that Facteur depends on is unavailable. */
export const unavailable = (message: string) => new Refusal(503, 'unavailable', message);
