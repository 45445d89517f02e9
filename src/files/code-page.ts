import iconv from 'iconv-lite';

/** Windows code pages whose number is not part of the name that iconv-lite knows. */
const names = new Map<number, string>([
  [1200, 'utf-16le'],
  [1201, 'utf-16be'],
  [10000, 'macroman'],
  [12000, 'utf-32le'],
  [12001, 'utf-32be'],
  [20127, 'ascii'],
  [20866, 'koi8-r'],
  [20932, 'euc-jp'],
  [21866, 'koi8-u'],
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
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/**
 * Decodes bytes as they come. Bytes that the code page does not have become U+FFFD, which the reader reports.
 * @throws Error for an encoding that iconv-lite does not know.
 */
export async function* decoded(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  let decoder: ReturnType<typeof iconv.getDecoder> | undefined;
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    if (decoder) {
      const text = decoder.write(chunk);
      if (text !== '') yield text;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < 3) continue;
    decoder = decoderFor(head, encoding);
    yield decoder.write(head);
  }
  decoder ??= decoderFor(head, encoding);
  // Fewer than three bytes in all were held back.
  if (head.length < 3) yield decoder.write(head);
  const rest = decoder.end();
  if (rest) yield rest;
}

function decoderFor(head: Buffer, encoding: string) {
  const mark = marks.find(([bytes]) => head.subarray(0, bytes.length).equals(bytes));
  // The decoder strips the mark itself.
  return iconv.getDecoder(mark?.[1] ?? encoding);
}
