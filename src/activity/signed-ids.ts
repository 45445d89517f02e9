import { hash, timingSafeEqual } from 'node:crypto';
import { keptIn, remembered } from '../platform/remembered.ts';
import { type Secrets, signatureBytes } from '../platform/secrets.ts';

/** The purposes of a signature. The number is in the first byte; each kind is signed with its own key. */
const signedKinds = { click: 1, open: 2, mirror: 3, unsub: 4, forward: 5, bounce: 6 } as const;
export type SignedKind = keyof typeof signedKinds;

export interface SignedIds {
  readonly idSite: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  /** The tracked link of a click. */
  readonly idLink?: number;
  /**
   * The forward, in a forwarded message: the id of a single message. Its hits are viral; the sending and the subscriber
   * are those of the forwarder.
   */
  readonly idForward?: number;
  /** The id of a single send, which finds its own data and contents. Never with a forward. */
  readonly idSingle?: number;
}

// First byte: one bit for viral, two for the version, three for the kind, two for the key. There is one key so far; the
// bits allow a second secret without breaking links in mailboxes. The byte is signed with the rest, so no one can turn
// a plain link into a viral one or the reverse. In version 2 the last identifier is that of a single send.
const viralBit = 0x80;
const keyId = 0;
const headOf = (kind: SignedKind, version: 1 | 2) => (version << 5) | (signedKinds[kind] << 2) | keyId;

const maxVarintBytes = 8;
const maxIdBytes = 1 + 6 * maxVarintBytes;
const scratch = Buffer.alloc(maxIdBytes);

/**
 * Signs identifiers: a head byte, each identifier as a varint (LEB128), and the first 16 bytes of an HMAC-SHA256 over
 * all of them. About 25 bytes for a usual link.
 */
export function signIds(secrets: Secrets, kind: SignedKind, ids: SignedIds): Buffer {
  const { idForward, idSingle } = ids;
  const head = headOf(kind, idSingle === undefined ? 1 : 2);
  scratch[0] = head | (idForward === undefined ? 0 : viralBit);
  let end = writeVarint(scratch, 1, ids.idSite);
  end = writeVarint(scratch, end, ids.idSent);
  end = writeVarint(scratch, end, ids.idSubscriber);
  if (kind === 'click') end = writeVarint(scratch, end, ids.idLink ?? 0);
  if (idForward !== undefined) end = writeVarint(scratch, end, idForward);
  if (idSingle !== undefined) end = writeVarint(scratch, end, idSingle);
  const signed = Buffer.allocUnsafe(end + signatureBytes);
  scratch.copy(signed, 0, 0, end);
  hmac(secrets, kind, signed.subarray(0, end)).copy(signed, end, 0, signatureBytes);
  return signed;
}

/** The identifiers; undefined if the bytes were not signed by us for this kind. Never throws. */
export function readSignedIds(secrets: Secrets, kind: SignedKind, bytes: Buffer): SignedIds | undefined {
  const end = bytes.length - signatureBytes;
  const head = bytes[0] ?? 0;
  const isSingle = (head & ~viralBit) === headOf(kind, 2);
  if (end < 4 || end > maxIdBytes) return undefined;
  if (!isSingle && (head & ~viralBit) !== headOf(kind, 1)) return undefined;
  const expected = hmac(secrets, kind, bytes.subarray(0, end)).subarray(0, signatureBytes);
  if (!timingSafeEqual(expected, bytes.subarray(end))) return undefined;
  // Signed bytes are well-formed, so nothing below is hostile.
  const reader = { at: 1 };
  const idSite = readVarint(bytes, reader);
  const idSent = readVarint(bytes, reader);
  const idSubscriber = readVarint(bytes, reader);
  const link = kind === 'click' ? { idLink: readVarint(bytes, reader) } : {};
  const forward = head & viralBit ? { idForward: readVarint(bytes, reader) } : {};
  const single = isSingle ? { idSingle: readVarint(bytes, reader) } : {};
  return { idSite, idSent, idSubscriber, ...link, ...forward, ...single };
}

function writeVarint(to: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`Not an identifier: ${value}`);
  let rest = value;
  let end = at;
  while (rest >= 128) {
    to[end++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  to[end++] = rest;
  return end;
}

function readVarint(from: Buffer, reader: { at: number }): number {
  let value = 0;
  let unit = 1;
  for (;;) {
    const byte = from[reader.at++] ?? 0;
    value += (byte & 127) * unit;
    if (byte < 128) return value;
    unit *= 128;
  }
}

interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const padsOf = remembered((_secrets: Secrets) => new Map<SignedKind, Pads>());
const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA256 (RFC 2104) of at most `maxIdBytes` bytes. Two one-shot hashes over prepared blocks: 610,000/s on one core
 * where createHmac does 400,000 to 490,000/s, and a message contains ten of them.
 */
function hmac(secrets: Secrets, kind: SignedKind, data: Buffer): Buffer {
  const { inner, outer } = keptIn(padsOf(secrets), kind, () => makePads(secrets.key(`link:${kind}`)));
  data.copy(inner, blockBytes);
  hash('sha256', inner.subarray(0, blockBytes + data.length), 'buffer').copy(outer, blockBytes);
  return hash('sha256', outer, 'buffer');
}

function makePads(key: Buffer): Pads {
  const pad = (byte: number, room: number) => {
    const block = Buffer.alloc(blockBytes + room, 0);
    for (let i = 0; i < blockBytes; i++) block[i] = byte ^ (key[i] ?? 0);
    return block;
  };
  return { inner: pad(0x36, maxIdBytes), outer: pad(0x5c, digestBytes) };
}
