import type { Operation } from '../platform/http/operation.ts';
import { ownReplies, sharedReplies } from '../platform/http/replies.ts';

/**
 * Shown by tests of what answers them, the same for every operation: 401 and 429 of tokens (token-guard.test.ts,
 * wrong-tokens.test.ts), 429 of a site's share (other-sites.test.ts, create-export.test.ts), 503 of a database that
 * is unavailable or too slow (server.test.ts, database-vanished.test.ts). A 503 of the handler's own must be seen all
 * the same.
 */
const shownOnce = [304, 401, 429, 503];
/** Declared by no operation for its handler: any can report a wrong member, or that a site has used its share. */
const ofAnyHandler = [400, 429];

/** Defects that a test provokes: the reader of SQL filters has been given more rights (broken-targets.test.ts). */
const provoked = ['getCampaignChecklist 500', 'countSegments 500', 'sendCampaignNow 500'];

/** A line of what a run saw: `handler` is what the operation itself said, `answer` what left the server. */
export const noteOf = (by: 'handler' | 'answer', operation: string, status: number): string =>
  `${by} ${operation} ${status}`;

/**
 * Lists missing tests, in words, one a line: replies that operations declare and no test saw, and those that were seen
 * and are not declared. What a handler says must be seen from the handler: the 404 of an unknown site shows
 * nothing of the 404 of an unknown record.
 * @param notes lines of `noteOf`; those of operations that are not requested say nothing
 */
export function replyGaps(operations: readonly Operation[], notes: readonly string[]): string[] {
  const seen = new Map<string, Set<number>>();
  for (const line of notes) {
    const [by, id, status] = line.split(' ');
    const key = `${by} ${id}`;
    seen.set(key, (seen.get(key) ?? new Set()).add(Number(status)));
  }
  return operations.flatMap((operation) => {
    const own = ownReplies(operation);
    const shared = sharedReplies(operation).filter((status) => !shownOnce.includes(status));
    const said = seen.get(`handler ${operation.id}`) ?? new Set();
    const answered = seen.get(`answer ${operation.id}`) ?? new Set();
    const unseen = new Set(
      [...own].filter((one) => !said.has(one)).concat(shared.filter((one) => !answered.has(one))),
    );
    const undeclared = new Set([
      ...[...said].filter((one) => ![...own, ...ofAnyHandler].includes(one)),
      ...[...answered].filter((one) => ![...own, ...shared, ...shownOnce].includes(one)),
    ]);
    const isTold = (status: number) => !provoked.includes(`${operation.id} ${status}`);
    return [
      ...[...unseen].map((status) => `${operation.id} ${status}: declared, and no test shows it`),
      ...[...undeclared]
        .filter(isTold)
        .map((status) => `${operation.id} ${status}: answered, and not declared`),
    ];
  });
}
