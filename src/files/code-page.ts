import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { TableError } from './table.ts';

/** Windows code pages whose number is not part of the name that iconv-lite knows. */
const names = new Map<number, string>([
  [708, 'iso-8859-6'],
  [951, 'big5-hkscs'],
  [1200, 'utf-16le'],
  [1201, 'utf-16be'],
  [10000, 'macroman'],
  [10006, 'macgreek'],
  [10007, 'maccyrillic'],
  [10010, 'macromania'],
  [10017, 'macukraine'],
  [10021, 'macthai'],
  [10029, 'maccenteuro'],
  [10079, 'maciceland'],
  [10081, 'macturkish'],
  [10082, 'maccroatian'],
  [12000, 'utf-32le'],
  [12001, 'utf-32be'],
  [20127, 'ascii'],
  [20866, 'koi8-r'],
  [20932, 'euc-jp'],
  [20936, 'gb2312'],
  [20949, 'euc-kr'],
  [21866, 'koi8-u'],
  [38598, 'iso-8859-8'],
  [51932, 'euc-jp'],
  [51936, 'gb2312'],
  [51949, 'euc-kr'],
  [54936, 'gb18030'],
  [65000, 'utf-7'],
  [65001, 'utf8'],
]);

/** The encoding of a Windows code page, or undefined when none of that number is known. */
export function encodingOf(codePage: number): string | undefined {
  const name =
    names.get(codePage) ??
    (codePage > 28590 && codePage <= 28606 ? `iso-8859-${codePage - 28590}` : `cp${codePage}`);
  return iconv.encodingExists(name) ? name : undefined;
}

/** Byte-order marks, the longest first; a mark outweighs the code page that a caller named. */
const marks: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0xff, 0xfe, 0, 0]), 'utf-32le'],
  [Buffer.from([0, 0, 0xfe, 0xff]), 'utf-32be'],
  [Buffer.from([0x84, 0x31, 0x95, 0x33]), 'gb18030'],
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];
const longestMark = 4;

/**
 * Decodes bytes as they come. Bytes that the code page does not have become U+FFFD, which the reader reports.
 * @throws TableError at the end of a text that was named as one of another code page but is UTF-8 from its first byte
 *   to its last: every accent in it would have become two other letters.
 */
export async function* decoded(source: AsyncIterable<Buffer>, codePage: number): AsyncGenerator<string> {
  const encoding = encodingOf(codePage);
  if (!encoding) throw new TableError(`The code page ${codePage} is not known`);
  let decoder: ReturnType<typeof iconv.getDecoder> | undefined;
  let watch: Utf8Watch | undefined;
  let head: Buffer = Buffer.alloc(0);
  const begin = () => {
    const mark = marks.find(([bytes]) => head.subarray(0, bytes.length).equals(bytes));
    if (!mark && isSingleByte(encoding)) watch = new Utf8Watch();
    watch?.push(head);
    decoder = iconv.getDecoder(mark?.[1] ?? encoding);
    return decoder.write(head.subarray(mark?.[0].length ?? 0));
  };
  for await (const chunk of encoding === 'utf-7' ? outsideBase64(source) : source) {
    if (decoder) {
      watch?.push(chunk);
      const text = decoder.write(chunk);
      if (text !== '') yield text;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length >= longestMark) yield begin();
  }
  if (!decoder) yield begin();
  if (watch?.isUtf8()) {
    throw new TableError(`The file is written in UTF-8 (code page 65001), not in code page ${codePage}`);
  }
  const rest = decoder?.end();
  if (rest) yield rest;
}

/** UTF-7 cut where no base64 is open: iconv-lite takes a minus that begins a piece for a plus sign there. */
async function* outsideBase64(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    let end = bytes.length;
    while (end > 0 && isBase64(bytes[end - 1]!)) end--;
    // A stretch this long is no text; it need not be read well, only in bounds.
    if (bytes.length - end > 65_536) end = bytes.length;
    rest = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

function isBase64(byte: number): boolean {
  return /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));
}

/** Whether each byte is a character: of é in UTF-8, and of a letter in Japanese or Chinese pages, it is not. */
function isSingleByte(encoding: string): boolean {
  return iconv.decode(Buffer.from([0xc3, 0xa9, 0x81, 0x40]), encoding).length === 4;
}

/** Whether bytes are UTF-8 beyond ASCII; no other text with accented letters is, from its beginning to its end. */
class Utf8Watch {
  #isOthers = false;
  #hasMore = false;
  #cut: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    if (this.#isOthers || (this.#cut.length === 0 && isAscii(chunk))) return;
    const bytes = this.#cut.length > 0 ? Buffer.concat([this.#cut, chunk]) : chunk;
    const end = wholeCharacters(bytes);
    this.#cut = bytes.subarray(end);
    const whole = bytes.subarray(0, end);
    this.#isOthers = !isUtf8(whole);
    this.#hasMore ||= !isAscii(whole);
  }

  isUtf8(): boolean {
    return this.#hasMore && !this.#isOthers && this.#cut.length === 0;
  }
}

/** Where the last whole character of UTF-8 ends: at most three bytes of another one may follow. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
