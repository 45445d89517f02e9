/** A refusal of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** The word of the header `x-error-code`. */
  readonly code: string;
  readonly requestId: string;
  /** Seconds after which a limited call may be repeated. */
  readonly retryAfter: number | undefined;
  /** What the refusal holds besides: of a call with several elements, the results of those before the refused one. */
  readonly data: unknown;

  constructor(response: Response, message: string, data?: unknown) {
    super(message);
    this.data = data;
    this.name = 'ApiError';
    this.status = response.status;
    this.code = response.headers.get('x-error-code') ?? '';
    this.requestId = response.headers.get('x-request-id') ?? '';
    const after = Number(response.headers.get('retry-after'));
    this.retryAfter = after > 0 ? after : undefined;
  }
}

/** The service was not reached. */
export class NoConnection extends Error {
  readonly code = 'no_connection';

  constructor() {
    super('The service cannot be reached');
    this.name = 'NoConnection';
  }
}

/** A piece of the console is missing though the service answers: it belongs to the build before an upgrade. */
export class ConsoleUpdated extends Error {
  readonly code = 'console_updated';

  constructor() {
    super('The console was updated');
    this.name = 'ConsoleUpdated';
  }
}

/** The property that a refusal names, and the rule that its value breaks; undefined if it names none. */
export function namedIn(error: unknown): { readonly property: string; readonly rule: string } | undefined {
  if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) return undefined;
  const match = /^([a-z]\w*(?:\.\w+|\[\d+\])*): (.+)$/is.exec(error.message);
  return match ? { property: match[1]!, rule: match[2]! } : undefined;
}

/** Whether the service says that a record does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** Whether the service was not reached, or cannot serve anybody now. */
export const isAway = (error: unknown): boolean =>
  error instanceof NoConnection || (error instanceof ApiError && error.status > 500);

/** Whether the same call may succeed later: the service, the connection or the session may be back. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof NoConnection ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 401));
