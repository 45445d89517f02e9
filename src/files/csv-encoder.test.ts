import { Readable } from 'node:stream';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { CsvEncoder, type CsvEncoding } from './csv-encoder.ts';

async function encode(csv: string, encoding: CsvEncoding, pieceBytes = 64 * 1024) {
  const bytes = Buffer.from(csv);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) =>
    bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );
  const encoder = new CsvEncoder(encoding);
  const out = await Readable.from(pieces).pipe(encoder).toArray();
  return { bytes: Buffer.concat(out), lines: encoder.lines, replaced: encoder.replaced };
}

const ansi = { codePage: 1252, lineEnd: '\r\n' } as const;
const utf8 = { codePage: 65001, lineEnd: '\n' } as const;

describe('CsvEncoder', () => {
  test.each<[string, string, CsvEncoding, string, number, number]>([
    ['nothing', '', ansi, '', 0, 0],
    ['line ends', 'a;b\nc;d\n', ansi, 'a;b\r\nc;d\r\n', 2, 0],
    ['LF as it is', 'a;b\nc;d\n', utf8, 'a;b\nc;d\n', 2, 0],
    ['line ends within quotes', '"a\nb";"c\r\nd"\n', ansi, '"a\nb";"c\r\nd"\r\n', 1, 0],
    ['doubled quotes', '"a""\n""b"\n', ansi, '"a""\n""b"\r\n', 1, 0],
    ['what the code page has', 'é€Œž–Ÿ\u00a0ÿ\n', ansi, 'é€Œž–Ÿ\u00a0ÿ\r\n', 1, 0],
    ['what it does not have', 'Ł漢😀?e\u0301\ufffd\u0081\n', ansi, '????e???\r\n', 1, 6],
    ['everything in UTF-8', 'Ł漢😀\n', { codePage: 65001, lineEnd: '\r\n' }, 'Ł漢😀\r\n', 1, 0],
  ])('%s', async (_, csv, encoding, expected, lines, replaced) => {
    const bytes = encoding.codePage === 1252 ? iconv.encode(expected, 'cp1252') : Buffer.from(expected);
    for (const size of [1, 2, 3, 7, 1_000])
      expect(await encode(csv, encoding, size)).toEqual({ bytes, lines, replaced });
  });

  test('any text, cut anywhere: one question mark for each missing character', async () => {
    const characters = fc
      .string({ unit: 'binary', maxLength: 200 })
      .map((text) => text.replaceAll(/["\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(characters, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const { bytes, replaced } = await encode(`${text}\n`, { ...ansi, lineEnd: '\n' }, size);
        const isThere = (char: string) =>
          iconv.decode(iconv.encode(char, 'cp1252'), 'cp1252') === char && char !== '\ufffd';
        const expected = [...text].map((char) => (isThere(char) ? char : '?')).join('');
        expect(iconv.decode(bytes, 'cp1252')).toBe(`${expected}\n`);
        expect(replaced).toBe([...text].filter((char) => !isThere(char)).length);
        expect(await encode(`${text}\n`, utf8, size)).toMatchObject({ bytes: Buffer.from(`${text}\n`) });
      }),
    );
  });
});
