import type { Secrets } from '../platform/secrets.ts';
import { readSignedIds, type SignedIds, signIds } from './signed-ids.ts';

// RFC 4648 base32 in lower case: local parts come back from other systems in either case.
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const valueOfLetter = new Map([...alphabet].map((letter, value) => [letter, value]));
const prefix = 'b-';
/** RFC 5321 4.5.3.1.1. */
const maxLocalPart = 64;

/**
 * The envelope sender of one message (VERP): `b-<signed identifiers>@domain`. A report sent to it identifies the
 * recipient without any trust in the report's text. At most 62 characters before the `@`.
 */
export function makeReturnPath(secrets: Secrets, ids: SignedIds, domain: string): string {
  return `${prefix}${toBase32(signIds(secrets, 'bounce', ids))}@${domain}`;
}

/**
 * Returns the recipient that a return path names; undefined if it is not ours. Ignores case.
 * @param address the address, with or without its domain; the domain is not checked.
 */
export function readReturnPath(secrets: Secrets, address: string): SignedIds | undefined {
  const at = address.lastIndexOf('@');
  const local = (at < 0 ? address : address.slice(0, at)).toLowerCase();
  if (!local.startsWith(prefix) || local.length > maxLocalPart) return undefined;
  const text = local.slice(prefix.length);
  const bytes = fromBase32(text);
  if (!bytes || toBase32(bytes) !== text) return undefined;
  return readSignedIds(secrets, 'bounce', bytes);
}

function toBase32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let held = 0;
  let end = 0;
  for (const letter of text) {
    const value = valueOfLetter.get(letter);
    if (value === undefined) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[end++] = (held >> bits) & 255;
    }
  }
  return bytes;
}
