import type { Operation } from './operation.ts';
import { acceptsIfMatch } from './versions.ts';

/** Statuses that an operation answers before its handler is reached, by what it shares with all others. */
export function sharedReplies({
  scope,
  right,
  body,
  takesFile,
  givesFile,
  sendsEvents,
  method,
}: Operation): readonly number[] {
  const isOfSite = scope === 'site';
  // Every token may read the sites that it reaches; but a session's cookie counts only on the service's own pages.
  const isForAll = right === 'any' || (isOfSite && right === 'read');
  return [
    // 503: the database can be unavailable.
    ...[400, 429, 503],
    ...(right === 'none' ? [] : [401]),
    ...(isForAll && method === 'GET' ? [] : [403]),
    ...(isOfSite ? [404] : []),
    ...(body || takesFile ? [413] : []),
    // 304: the client already holds the same response.
    ...(method === 'GET' && !givesFile && !sendsEvents ? [304] : []),
  ];
}

/** Statuses that an operation's handler answers: success, the unknown record that the path names, what it declares. */
export function ownReplies(operation: Operation): readonly number[] {
  const { params, answersUnknown, refusals = [] } = operation;
  const isUnknown = params && !answersUnknown ? [404] : [];
  return [200, ...isUnknown, ...refusals, ...(acceptsIfMatch(operation) ? [412] : [])];
}
