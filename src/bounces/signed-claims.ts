import type { Evidence } from '../activity/bounce-evidence.ts';
import { readToken } from '../activity/link-token.ts';
import { readReturnPath } from '../activity/return-path.ts';
import type { SignedIds } from '../activity/signed-ids.ts';
import type { Secrets } from '../platform/secrets.ts';

/** Texts of a report that may be our signed identifiers; they must be verified before use. */
export interface SignedClaims {
  /** Local parts of return paths. */
  readonly returnPaths: readonly string[];
  /** Tokens of unsubscribe links. */
  readonly unsubscriptions: readonly string[];
}

/** The claims of a message that is not a report: a reply names no recipient by its content. */
export const noClaims: SignedClaims = { returnPaths: [], unsubscriptions: [] };

/** Maximum number of characters of a text that are searched: large systems add about 20,000 to a head. */
const maxLooked = 65_536;
/** Maximum number of claims of each kind that are verified: a head has a few, and each costs an HMAC. */
const maxClaims = 50;
// Found anywhere: relays also write the return path into Received, Received-SPF and Authentication-Results, and
// forwarders wrap it (SRS0=…=b-…@…).
const returnPath = /b-[a-z2-7]{32,62}/gi;
const unsubscription = /\/u\/([\w-]{27,80})/g;

/** Returns everything in `texts` that looks like one of our signed identifiers, in order. */
export function signedClaims(...texts: readonly string[]): SignedClaims {
  const found = (pattern: RegExp, group: number) =>
    texts
      .flatMap((text) => [...text.slice(0, maxLooked).matchAll(pattern)])
      .slice(0, maxClaims)
      .map((match) => match[group] ?? '');
  return { returnPaths: found(returnPath, 0), unsubscriptions: found(unsubscription, 1) };
}

/**
 * Returns the recipient of the first claim with a valid signature: return paths first, then unsubscribe links;
 * undefined if there is none. A link counts for complaints only: its holder may unsubscribe the reader, but not declare
 * their mailbox nonexistent.
 */
export function claimedRecipient(
  secrets: Secrets,
  report: SignedClaims & Pick<Evidence, 'kind'>,
): SignedIds | undefined {
  for (const path of report.returnPaths) {
    const ids = readReturnPath(secrets, path);
    if (ids) return ids;
  }
  if (report.kind !== 'complaint') return undefined;
  for (const token of report.unsubscriptions) {
    const ids = readToken(secrets, 'unsub', token);
    if (ids) return ids;
  }
  return undefined;
}
