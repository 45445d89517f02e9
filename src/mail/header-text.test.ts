import { describe, expect, test } from 'vitest';
import { addressHeader, isHeaderAddress, textHeader } from './header-text.ts';

/** The encoded words of a header, each decoded by itself. */
const words = (header: string) =>
  [...header.matchAll(/=\?UTF-8\?B\?([A-Za-z0-9+/=]+)\?=/g)].map((match) => ({
    length: match[0].length,
    text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(match[1]!, 'base64')),
  }));

describe('a subject', () => {
  test.each([
    ['Hello', 'Subject: Hello\r\n'],
    ['', 'Subject:\r\n'],
    ['a\r\nBcc: b', 'Subject: a Bcc: b\r\n'],
    ['é', 'Subject: =?UTF-8?B?w6k=?=\r\n'],
    [' a', 'Subject: =?UTF-8?B?IGE=?=\r\n'],
    ['a  b', 'Subject: =?UTF-8?B?YSAgYg==?=\r\n'],
    ['=?x', 'Subject: =?UTF-8?B?PT94?=\r\n'],
  ])('%j is %j', (subject, header) => {
    expect(textHeader('Subject', subject)).toBe(header);
  });

  test('of plain words is folded between them, and unfolds to itself', () => {
    const subject = 'word '.repeat(60).trim();
    const header = textHeader('Subject', subject);
    for (const line of header.trimEnd().split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
    expect(header.replaceAll('\r\n ', ' ').trimEnd()).toBe(`Subject: ${subject}`);
  });

  test('with a word longer than a line is encoded', () => {
    const subject = `a ${'x'.repeat(100)}`;
    expect(
      words(textHeader('Subject', subject))
        .map((word) => word.text)
        .join(''),
    ).toBe(subject);
  });

  test('is split between characters only, in words of at most 75', () => {
    for (const shift of [0, 1, 2, 3]) {
      const subject = 'a'.repeat(shift) + '🏠é漢'.repeat(40);
      const header = textHeader('Subject', subject);
      for (const line of header.trimEnd().split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
      const found = words(header);
      for (const word of found) expect(word.length).toBeLessThanOrEqual(75);
      expect(found.map((word) => word.text).join('')).toBe(subject);
    }
  });
});

describe('an address', () => {
  test.each([
    ['', 'From: <a@b.fr>\r\n'],
    [' Ada ', 'From: "Ada" <a@b.fr>\r\n'],
    ['A "B" \\ C, D <x@y>', 'From: "A \\"B\\" \\\\ C, D <x@y>" <a@b.fr>\r\n'],
    ['Zoé', 'From: =?UTF-8?B?Wm/DqQ==?= <a@b.fr>\r\n'],
    ['a\r\nBcc: x', 'From: "a Bcc: x" <a@b.fr>\r\n'],
  ])('of %j is %j', (alias, header) => {
    expect(addressHeader('From', alias, 'a@b.fr')).toBe(header);
  });

  test('goes to a line of its own when the name fills the first', () => {
    const header = addressHeader('Reply-To', 'n'.repeat(60), `${'a'.repeat(60)}@example.org`);
    expect(header.split('\r\n')).toEqual([
      `Reply-To: "${'n'.repeat(60)}"`,
      ` <${'a'.repeat(60)}@example.org>`,
      '',
    ]);
  });

  test.each([
    ['ada@example.org', true],
    ["o'neil+x=y@example.org", true],
    ['ada@xn--lve-6lad.fr', true],
    ['zoé@example.org', true],
    ['ada', false],
    ['a@b@c', false],
    ['a b@c', false],
    ['a@b\r\n', false],
    ['a@b>', false],
    ['"a b"@c', false],
    ['a@b,c@d', false],
    ['a\u2028@b', false],
  ])('%j fits between brackets: %s', (email, expected) => {
    expect(isHeaderAddress(email)).toBe(expected);
  });
});
