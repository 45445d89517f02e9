import type { Secrets } from '../platform/secrets.ts';
import { readSignedIds, type SignedIds, type SignedKind, signIds } from './signed-ids.ts';

/** The links of a message; each kind has its own path: /r/ /o/ /m/ /u/ /f/. */
export type LinkKind = Exclude<SignedKind, 'bounce'>;

/**
 * The content of a link's token: a recipient of a sending, the tracked link of a click, and the forward if there is
 * one.
 */
export interface LinkToken extends SignedIds {
  readonly kind: LinkKind;
}

/** The paths of a message's links below the public address. */
export const linkPaths: Readonly<Record<LinkKind, string>> = {
  click: '/r/',
  open: '/o/',
  mirror: '/m/',
  unsub: '/u/',
  forward: '/f/',
};

/** Maximum length of a token; refusing a longer text costs nothing. */
const maxLength = 80;

/**
 * The text of a link's token, base64url: usually 33 to 40 characters, and a few more in forwarded messages.
 * Deterministic, so that a message that is rendered again is the same.
 */
export function makeToken(secrets: Secrets, token: LinkToken): string {
  return signIds(secrets, token.kind, token).toString('base64url');
}

/** The absolute address of a token. `publicUrl` has no trailing slash. */
export function linkAddress(publicUrl: string, secrets: Secrets, token: LinkToken): string {
  return publicUrl + linkPaths[token.kind] + makeToken(secrets, token);
}

/**
 * Reads a token of one kind; undefined if it was altered, cut, or made for another kind or by another installation.
 * Another spelling of the same bytes is refused too: one link has one address.
 */
export function readToken(secrets: Secrets, kind: LinkKind, text: string): LinkToken | undefined {
  if (text.length > maxLength) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const ids = readSignedIds(secrets, kind, bytes);
  if (!ids || bytes.toString('base64url') !== text) return undefined;
  return { kind, ...ids };
}
