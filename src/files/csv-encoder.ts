import { Transform, type TransformCallback } from 'node:stream';
import iconv from 'iconv-lite';

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const questionMark = 0x3f;

export interface CsvEncoding {
  readonly codePage: 1252 | 65001;
  readonly lineEnd: '\r\n' | '\n';
}

/**
 * Converts CSV in UTF-8, with records that end with LF and quotes `"`, to a code page and line ends; text within quotes
 * keeps its own line ends. Bytes are processed as they come, cut anywhere. Counts the lines, and the characters that
 * the code page lacks: each becomes a question mark.
 */
export class CsvEncoder extends Transform {
  readonly #toBytes: Uint8Array | undefined;
  readonly #breaks: boolean;
  #isQuoted = false;
  /** The bits of an incomplete character, and the number of bytes still to come. */
  #code = 0;
  #missing = 0;
  #lines = 0;
  #replaced = 0;

  constructor({ codePage, lineEnd }: CsvEncoding) {
    super({ readableHighWaterMark: 256 * 1024, writableHighWaterMark: 256 * 1024 });
    this.#toBytes = codePage === 1252 ? windows1252() : undefined;
    this.#breaks = lineEnd === '\r\n';
  }

  get lines(): number {
    return this.#lines;
  }

  /** Number of characters that were replaced by `?`. */
  get replaced(): number {
    return this.#replaced;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // Nothing but a line end becomes longer.
    const out = Buffer.allocUnsafe(this.#breaks ? chunk.length * 2 : chunk.length + 1);
    let length = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte > 0x7f) {
        if (!this.#toBytes) out[length++] = byte;
        else if (this.#take(byte)) out[length++] = this.#byteOf(this.#toBytes);
        continue;
      }
      if (byte === quote) this.#isQuoted = !this.#isQuoted;
      else if (byte === lineFeed && !this.#isQuoted) {
        this.#lines++;
        if (this.#breaks) out[length++] = carriageReturn;
      }
      out[length++] = byte;
    }
    done(null, out.subarray(0, length));
  }

  /** Takes a byte of a character beyond ASCII; true when the character is whole. */
  #take(byte: number): boolean {
    if (byte < 0xc0) {
      this.#code = (this.#code << 6) | (byte & 0x3f);
      return --this.#missing === 0;
    }
    this.#missing = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    this.#code = byte & (0x3f >> this.#missing);
    return false;
  }

  #byteOf(toBytes: Uint8Array): number {
    const byte = this.#code < toBytes.length ? toBytes[this.#code]! : 0;
    if (byte !== 0) return byte;
    this.#replaced++;
    return questionMark;
  }
}

let table: Uint8Array | undefined;

/** The byte of each character beyond ASCII, 0 for those that the code page does not have. */
function windows1252(): Uint8Array {
  if (table) return table;
  table = new Uint8Array(0x10000);
  for (let byte = 0x80; byte <= 0xff; byte++) {
    const code = iconv.decode(Buffer.from([byte]), 'cp1252').charCodeAt(0);
    if (code !== 0xfffd) table[code] = byte;
  }
  return table;
}
