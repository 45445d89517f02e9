import { errorCodes } from './error-codes.ts';
import { codeMeanings } from './schema.ts';

type Json = Record<string, unknown>;

/** The names and the texts of what operations answer besides success, by status. */
export const otherReplies: Readonly<Record<number, readonly [name: string, text: string]>> = {
  304: ['NotModified', 'The answer is the one that If-None-Match names; it has no body'],
  400: ['Malformed', 'Malformed or invalid input; the error names the member and the rule'],
  401: ['Unauthenticated', 'No valid bearer token'],
  403: ['Forbidden', 'The token lacks the right'],
  404: ['NotFound', 'Unknown site or record, or a site that the token may not see'],
  409: ['Conflict', 'Conflicts with the record’s state or with another record'],
  412: ['Changed', 'The record has another version than the one that If-Match names, or exists already'],
  413: ['TooLarge', 'Larger than the operation accepts'],
  422: ['Refused', 'A rule of the domain refuses it'],
  429: ['TooMany', 'Too many requests'],
  503: [
    'Unavailable',
    'The database, or another service that Facteur needs, is unavailable, too slow or too busy; try again',
  ],
};

/** Every header of ours, as components. */
export const headers: Readonly<Record<string, Json>> = {
  'x-request-id': {
    description: 'Finds the request in the log',
    schema: { type: 'string', format: 'uuid' },
  },
  'x-error-code': {
    description: codesInWords(),
    schema: { type: 'string', enum: Object.keys(errorCodes), [codeMeanings]: Object.values(errorCodes) },
  },
  'retry-after': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 1, examples: [5] },
  },
  'www-authenticate': {
    description: 'How to authenticate: always Bearer',
    schema: { type: 'string', const: 'Bearer' },
  },
  etag: {
    description:
      'On responses of 1 kB or more, and of every size where a later change accepts it as If-Match. If a request ' +
      'sends it as If-None-Match, an unchanged response returns 304',
    schema: { type: 'string' },
  },
  'cache-control': {
    description: 'No cache may keep an answer; a program that keeps it itself has the ETag',
    schema: { type: 'string', const: 'no-store' },
  },
};

function codesInWords(): string {
  const lines = Object.entries(errorCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return `What went wrong, for programs:\n\n${lines.join('\n')}`;
}

/** The headers that an answer of some status has or can have, as references; 200 stands for a read. */
export function headersOf(status: number | undefined): Json {
  const names = ['x-request-id', 'cache-control'];
  if (status === 200 || status === 304) names.push('etag');
  if (status === 401) names.push('www-authenticate');
  if (status === 429 || status === 503) names.push('retry-after');
  if (status !== undefined && status >= 400) names.push('x-error-code');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One component for each status: operations refer to them. */
export function failureResponses(): Json {
  const failure = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
  return Object.fromEntries(
    Object.entries(otherReplies).map(([status, [name, description]]) => [
      name,
      { description, headers: headersOf(Number(status)), ...(status !== '304' && { content: failure }) },
    ]),
  );
}
