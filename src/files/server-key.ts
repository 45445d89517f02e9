import { invalid } from '../platform/http/refusal.ts';
import { fingerprintOf, parsePublicKey, type SshPublicKey } from '../platform/ssh-key.ts';

/** A server's key as an administrator gives it: all of it, or its fingerprint alone. */
export interface ExpectedKey {
  readonly fingerprint: string;
  /** Undefined where only the fingerprint is known. */
  readonly type: string | undefined;
}

/** Kinds of keys that a server may have, the better first; one connection shows one of them. */
const families: readonly (readonly string[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['ssh-rsa'],
];

/** The kinds of keys to ask a server for, one list for each connection that is needed to find the expected one. */
export function kindsToAsk(expected: ExpectedKey | undefined): readonly (readonly string[])[] {
  if (!expected) return [families.flat()];
  return expected.type === undefined ? families : [[expected.type]];
}

/** The names under which kinds of keys are negotiated: one RSA key signs in three ways (RFC 8332). */
export function algorithmsOf(kinds: readonly string[]): string[] {
  return kinds.flatMap((kind) => (kind === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [kind]));
}

export const expectedKeyOf = (key: SshPublicKey): ExpectedKey => ({
  fingerprint: fingerprintOf(key),
  type: key.type,
});

/** @throws 400 when the text is neither a public key nor a SHA-256 fingerprint. */
export function parseExpectedKey(text: string): ExpectedKey {
  const digits = /^\s*SHA256:([A-Za-z0-9+/]{43})=?\s*$/.exec(text)?.[1];
  if (digits !== undefined) return { fingerprint: `SHA256:${digits}`, type: undefined };
  const key = parsePublicKey(text);
  if (!key)
    throw invalid("hostKey: must be the server's public key or its fingerprint, for example SHA256:…");
  return expectedKeyOf(key);
}

export const shownKey = (key: SshPublicKey): string => `${fingerprintOf(key)} (${key.type})`;
