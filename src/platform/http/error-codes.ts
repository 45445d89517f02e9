/** The values of the header `x-error-code`, with their meanings. A refusal's code without one does not compile. */
export const errorCodes = {
  invalid_input:
    'A parameter of the path or query, or a property of the body, breaks a rule; the error names both',
  malformed: 'The request is not HTTP, not JSON or not UTF-8, or nests too deep',
  unauthenticated: 'No token, or one that is not or no longer valid',
  forbidden: 'The token lacks the right',
  not_found: 'The site, the record or the path is unknown, or the token has no access to it',
  timeout: 'The request was not received completely within its time limit',
  conflict: 'Conflicts with the record’s state or with another record',
  changed:
    'The record has another version than the one that If-Match names, or exists although If-None-Match requires ' +
    'that it does not; read it again',
  duplicate_email: 'Another subscriber has this email address',
  duplicate_client: 'Another subscriber has this client identifier',
  too_large: 'Larger than the operation accepts',
  refused: 'The request is well-formed, but breaks a rule of the domain',
  too_many: 'Too many requests, or too many runs of something at once; wait as retry-after says',
  busy: 'Too many requests of this kind are running; try again in a moment',
  crossed: 'Another request was writing the same records; try again',
  disk_full: 'A disk of the service is full; try again after its operator has freed space',
  too_slow: 'The query exceeded the time limit; narrow the request or try again',
  loading: 'A file that a filter names is still being loaded; try again in a few seconds',
  unavailable: 'Something that Facteur depends on is unavailable; try again in a moment',
  host_key_changed: 'An SFTP server shows another key than the known one; an administrator must verify it',
  internal: 'A defect of Facteur; the x-request-id names it in the log',
} as const;

export type ErrorCode = keyof typeof errorCodes;
