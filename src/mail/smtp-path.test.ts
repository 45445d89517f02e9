import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOnlyCrlf, pathProblem, stuffDots } from './smtp-path.ts';

describe('addresses in commands', () => {
  it.each(['a@b.fr', "o'neil+tag@example.org", 'b-abc234@mail.test'])('takes %s', (address) => {
    expect(pathProblem(address, false)).toBeUndefined();
  });

  it.each([
    'a@b\r\nRCPT TO:<x@y>',
    'a@b\n',
    'a b@c',
    'a@b>',
    '<a@b',
    'a\0@b',
    'a\t@b',
    'a@b\x7f',
    '',
    'a',
    '@b',
    'a@',
    `${'a'.repeat(250)}@b.fr`,
  ])('refuses %j', (address) => expect(pathProblem(address, true)).toBeDefined());

  it('takes letters outside ASCII only when the relay does', () => {
    expect(pathProblem('élodie@b.fr', false)).toBeDefined();
    expect(pathProblem('élodie@b.fr', true)).toBeUndefined();
  });
});

describe('line ends', () => {
  it.each([
    ['', true],
    ['a\r\n', true],
    ['a\r\n\r\nb\r\n', true],
    ['a', false],
    ['a\n', false],
    ['a\r', false],
    ['a\r\nb', false],
    ['a\nb\r\n', false],
    ['a\rb\r\n', false],
    ['a\r\r\n', false],
    ['a\r\n.\r.\r\n', false],
    ['\n\r\n', false],
  ])('%j', (text, fine) => expect(hasOnlyCrlf(Buffer.from(text))).toBe(fine));

  it('agree with a plain definition', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\r', '\n', '\r\n', 'a', '.') }), (text) => {
        const plain = text === '' || (/\r\n$/.test(text) && !/\r(?!\n)|(?<!\r)\n/.test(text));
        expect(hasOnlyCrlf(Buffer.from(text))).toBe(plain);
      }),
    );
  });
});

describe('dots', () => {
  it.each([
    ['a\r\n', 'a\r\n'],
    ['.\r\n', '..\r\n'],
    ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
    ['.a\r\n..b\r\n.c\r\n', '..a\r\n...b\r\n..c\r\n'],
  ])('%j', (text, stuffed) => expect(stuffDots(Buffer.from(text)).toString()).toBe(stuffed));
});
