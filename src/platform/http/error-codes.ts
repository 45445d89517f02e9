/**
 * Every word that the header `x-error-code` can have, with what it means to who called. A refusal takes its code from
 * here, so that a new one without a meaning does not compile.
 */
export const errorCodes = {
  invalid_input: 'A member of the path, the query or the body breaks a rule; the error names both',
  malformed: 'The request is not HTTP, not JSON or not UTF-8, or nests too deep',
  unauthenticated: 'No token, or one that is not valid any more',
  forbidden: 'The token lacks the right',
  not_found: 'The site, the record or the address is unknown, or the token does not reach it',
  timeout: 'The request did not come in whole within its time',
  conflict: 'Conflicts with the record’s state or with another record',
  duplicate_email: 'Another subscriber has this email address',
  duplicate_client: 'Another subscriber has this client identifier',
  too_large: 'Larger than the operation takes',
  refused: 'A rule of the domain refuses it, though it is well-formed',
  too_many: 'Too many requests, or too many runs of something at once; wait as retry-after says',
  busy: 'Too much of this is going on; try again in a moment',
  crossed: 'Another request was writing the same records; try again',
  disk_full: 'A disk of the service is full; try again when its operator has made room',
  too_slow: 'The database took longer than a request may; ask for less or try again',
  loading: 'A file that a filter names is still being loaded; try again in some seconds',
  unavailable: 'Something that Facteur depends on is unavailable; try again in a moment',
  host_key_changed: 'An SFTP server shows another key than the known one; an administrator has to look',
  internal: 'A defect of Facteur; the x-request-id names it in the log',
} as const;

export type ErrorCode = keyof typeof errorCodes;
