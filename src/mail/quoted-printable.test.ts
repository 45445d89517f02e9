import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageWriter } from './message-writer.ts';
import { encodeQuotedPrintable, quotedPrintable, quotedPrintableBound } from './quoted-printable.ts';

const encode = (text: string): string => quotedPrintable(text).toString('latin1');

/** RFC 2045, 6.7, as strictly as it is written. */
function decode(encoded: string): string {
  const lines = encoded.split('\r\n').map((line) => line.replace(/[ \t]+$/, ''));
  const bytes = lines
    .map((line, i) => (line.endsWith('=') ? line.slice(0, -1) : i < lines.length - 1 ? `${line}\r\n` : line))
    .join('')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '.',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '\t',
      '=',
      'F',
      'From ',
      'é',
      '👩‍👩‍👧',
      '\0',
      'x'.repeat(74),
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  ),
  maxLength: 40,
});

describe('rules', () => {
  test.each([
    ['', ''],
    ['abc', 'abc=\r\n'],
    ['a=b', 'a=3Db=\r\n'],
    ['é', '=C3=A9=\r\n'],
    ['a\nb\r\nc\rd', 'a\r\nb\r\nc\r\nd=\r\n'],
    ['a \nb\t\r\n', 'a=20\r\nb=09\r\n'],
    [' a\n', ' a\r\n'],
    ['.a\n..\na.b', '=2Ea\r\n=2E.\r\na.b=\r\n'],
    ['From a\nFroma\nfrom a', '=46rom a\r\nFroma\r\nfrom a=\r\n'],
    ['\x07\x7f\0', '=07=7F=00=\r\n'],
  ])('%j is %j', (text, expected) => {
    expect(encode(text)).toBe(expected);
  });

  test('a line holds 76 characters, its soft break included', () => {
    expect(encode('a'.repeat(75))).toBe(`${'a'.repeat(75)}=\r\n`);
    expect(encode('a'.repeat(76))).toBe(`${'a'.repeat(75)}=\r\na=\r\n`);
    expect(encode(`${'a'.repeat(74)} \nb`)).toBe(`${'a'.repeat(74)}=\r\n=20\r\nb=\r\n`);
    expect(encode(`${'a'.repeat(75)}.`)).toBe(`${'a'.repeat(75)}=\r\n=2E=\r\n`);
    expect(encode(`${'a'.repeat(73)}é`)).toBe(`${'a'.repeat(73)}=\r\n=C3=A9=\r\n`);
  });
});

describe('any text', () => {
  test('comes back, in lines of at most 76 characters without a dot, From or blank where it hurts', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const encoded = encode(text);
        for (const line of encoded.split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(76);
          expect(line).not.toMatch(/^\.|^From |[ \t]$|[^\x20-\x7e\t]/);
        }
        expect(decode(encoded)).toBe(text.replace(/\r\n?|\n/g, '\r\n'));
      }),
      { numRuns: 2000 },
    );
  });

  test('may be encoded piece by piece', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 6 }), (pieces) => {
        // A line end that is cut in two is two line ends; sources are cut at tags only.
        const whole = pieces.map((piece) => piece.replaceAll('\r', ''));
        expect(decode(whole.map(encode).join(''))).toBe(whole.join('').replaceAll('\n', '\r\n'));
      }),
      { numRuns: 1000 },
    );
  });

  test('never outgrows its bound', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const bytes = Buffer.from(text);
        const bound = quotedPrintableBound(bytes.length);
        const to = Buffer.alloc(bound + 64, 0xaa);
        expect(encodeQuotedPrintable(bytes, 0, bytes.length, to, 0)).toBeLessThanOrEqual(bound);
        expect(to.subarray(bound).every((byte) => byte === 0xaa)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('is written by the short way for plain values as by the long one', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nasty, fc.string({ maxLength: 200 })), { maxLength: 8 }), (values) => {
        const writer = new MessageWriter(1);
        for (const value of values) writer.quotedPrintable(value);
        const written = writer.view(0, writer.length).toString('latin1');
        expect(decode(written)).toBe(values.map((value) => decode(encode(value))).join(''));
        for (const line of written.split('\r\n')) expect(line).toMatch(/^(?!\.|From )[\x20-\x7e\t]{0,76}$/);
      }),
      { numRuns: 2000 },
    );
  });
});
