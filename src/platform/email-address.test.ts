import { describe, expect, it } from 'vitest';
import { normaliseEmail } from './email-address.ts';

describe('normaliseEmail', () => {
  it.each([
    ['jean@example.com', 'jean@example.com'],
    ['  Jean.Dupont@EXAMPLE.Com\u00a0', 'Jean.Dupont@example.com'],
    ["o'neil+news@mail.example.co.uk", "o'neil+news@mail.example.co.uk"],
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['anna@BÜCHER.example', 'anna@xn--bcher-kva.example'],
    ['anna@xn--bcher-kva.example', 'anna@xn--bcher-kva.example'],
    ['user@例え.テスト', 'user@xn--r8jz45g.xn--zckzah'],
    ['a@b-c.d1', 'a@b-c.d1'],
    ['a=?b@example.com', 'a=?b@example.com'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('keeps %j as %j', (given, kept) => {
    expect(normaliseEmail(given)).toBe(kept);
    expect(normaliseEmail(kept)).toBe(kept);
  });

  it.each([
    '',
    '@',
    'a@',
    '@example.com',
    'a',
    'a@b',
    'a b@example.com',
    'a@exa mple.com',
    'a@@example.com',
    'a@b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    '"a b"@example.com',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@2130706433',
    'a@-example.com',
    'a@example-.com',
    'a@example..com',
    'a@example.com.',
    'a@.example.com',
    'a@exa%6dple.com',
    'a@example.com/x',
    'a@example.com?x',
    'a@example_x.com',
    'a@xn--999999999.com',
    'é@example.com',
    'a\r\nb@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a\0@example.com',
    'a@exam\u0000ple.com',
    '<a@example.com>',
    'Jean <a@example.com>',
    'mailto:a@example.com',
    'a,b@example.com',
    'a@example.com,b@example.com',
    'a\u2028@example.com',
    'a\u200b@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(4)}com`,
    'a@\ud800.com',
    '=?utf-8?q?victim=40example.org=3e?=@example.com',
    'x=?us-ascii?b?dmljdGlt?=y@example.com',
  ])('refuses %j', (given) => {
    expect(normaliseEmail(given)).toBeUndefined();
  });
});
