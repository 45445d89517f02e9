import type { Secrets } from '../platform/secrets.ts';
import { readSignedIds, type SignedIds, type SignedKind, signIds } from './signed-ids.ts';

/** The links of a message; each kind has its own path: /r/ /o/ /m/ /u/ /f/. */
export type LinkKind = Exclude<SignedKind, 'bounce'>;

/** The content of a link's token: one recipient of one sent, the tracked link of a click, and the forward if any. */
export interface LinkToken extends SignedIds {
  readonly kind: LinkKind;
}

/** Where the links of a message lead, below the public address. */
export const linkPaths: Readonly<Record<LinkKind, string>> = {
  click: '/r/',
  open: '/o/',
  mirror: '/m/',
  unsub: '/u/',
  forward: '/f/',
};

/** Longer texts are not ours; what is refused by length costs nothing. */
const maxLength = 80;

/**
 * The text of a link's token, base64url: 33 to 40 characters as a rule, in forwarded messages some more. Deterministic,
 * so that a message made again is the same message.
 */
export function makeToken(secrets: Secrets, token: LinkToken): string {
  return signIds(secrets, token.kind, token).toString('base64url');
}

/** The absolute address that a token is in. `publicUrl` has no trailing slash. */
export function linkAddress(publicUrl: string, secrets: Secrets, token: LinkToken): string {
  return publicUrl + linkPaths[token.kind] + makeToken(secrets, token);
}

/**
 * Reads a token of one kind; undefined when it was altered, cut, made for another kind or by another installation.
 * A text that decodes to the same bytes in another spelling is refused too: one link has one address.
 */
export function readToken(secrets: Secrets, kind: LinkKind, text: string): LinkToken | undefined {
  if (text.length > maxLength) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const ids = readSignedIds(secrets, kind, bytes);
  if (!ids || bytes.toString('base64url') !== text) return undefined;
  return { kind, ...ids };
}
