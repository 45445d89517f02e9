import type { Operation } from './operation.ts';

/** Statuses that an operation answers before its handler is reached, by what it shares with all others. */
export function sharedReplies({ scope, right, body, method }: Operation): readonly number[] {
  const isOfSite = scope === 'site';
  return [
    // 503: the database can be unavailable.
    ...[400, 401, 429, 503],
    // Every token may read the sites that it reaches.
    ...(isOfSite && right === 'read' ? [] : [403]),
    ...(isOfSite ? [404] : []),
    ...(body ? [413] : []),
    // 304: the client already holds the same response.
    ...(method === 'GET' ? [304] : []),
  ];
}

/** Statuses that an operation's handler answers: success, the unknown record that the path names, what it declares. */
export function ownReplies({ params, answersUnknown, refusals = [] }: Operation): readonly number[] {
  return [200, ...(params && !answersUnknown ? [404] : []), ...refusals];
}
