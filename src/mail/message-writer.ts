import { FilledTooLarge, maxFilledBytes } from '../contents/tag-filler.ts';
import { encodeQuotedPrintable, quotedPrintableBound, softBreak } from './quoted-printable.ts';

/**
 * UTF-8 bytes of the value being encoded; grows to the longest one seen. Rendering is synchronous, so one buffer is
 * enough.
 */
let scratch = Buffer.allocUnsafe(4096);

/** Columns of a line that ends with a soft line break. */
const maxPlain = 75;

/** Collects the bytes of one message; grows as needed. @throws FilledTooLarge above the limit of messages. */
export class MessageWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param size initial size in bytes */
  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  get length(): number {
    return this.#length;
  }

  /** Appends bytes unchanged. */
  bytes(chunk: Buffer): void {
    this.#reserve(chunk.length);
    this.#buffer.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /** Appends UTF-8 text unchanged. */
  text(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  /** Appends text in quoted-printable, from column 0 to column 0. */
  quotedPrintable(text: string): void {
    if (text === '' || this.#plainLines(text)) return;
    if (text.length * 3 > scratch.length) scratch = Buffer.allocUnsafe(text.length * 4);
    const length = scratch.write(text, 0, 'utf8');
    this.#reserve(quotedPrintableBound(length));
    this.#length = encodeQuotedPrintable(scratch, 0, length, this.#buffer, this.#length);
  }

  // Addresses and most values are printable ASCII: writing them here, without conversion to UTF-8 bytes, is three times
  // as fast. False: other characters need encoding, and nothing was written.
  #plainLines(text: string): boolean {
    const { length } = text;
    const first = text.charCodeAt(0);
    // A leading dot, or the F of `From `: see encodeQuotedPrintable.
    if (first === 0x2e || first === 0x46) return false;
    this.#reserve(length + (Math.ceil(length / maxPlain) + 1) * 3);
    const buffer = this.#buffer;
    let at = this.#length;
    let room = maxPlain;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code > 0x7e || code === 0x3d) return false;
      if (room === 0) {
        if (code === 0x2e || code === 0x46) return false;
        at = softBreak(buffer, at);
        room = maxPlain;
      }
      buffer[at++] = code;
      room--;
    }
    this.#length = softBreak(buffer, at);
    return true;
  }

  /** The bytes from `start` to `end`, not copied. */
  view(start: number, end: number): Buffer {
    return this.#buffer.subarray(start, end);
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#buffer.length) return;
    if (needed > maxFilledBytes) throw new FilledTooLarge();
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
