import { describe, expect, it } from 'vitest';
import { expiryOf, subjectOf } from './message-head.ts';

const message = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\nSubject: of the body\r\n`);

describe('the head of a message', () => {
  it.each<[string, string[], string]>([
    ['plain', ['Subject: Hello'], 'Hello'],
    ['folded, with encoded words', ['subject: =?UTF-8?B?w6k=?=', ' =?UTF-8?B?w6k=?='], 'éé'],
    ['none', ['To: a@b.fr'], ''],
    ['the first of two', ['Subject: a', 'Subject: b'], 'a'],
  ])('has a subject: %s', (_what, lines, subject) => {
    expect(subjectOf(message(...lines))).toBe(subject);
  });

  it.each<[string, string[], string | null]>([
    ['a date', ['Expires: Wed, 16 Dec 2026 10:00:00 +0000'], '2026-12-16T10:00:00.000Z'],
    ['a date with an offset', ['EXPIRES:16 Dec 2026 10:00 +0100'], '2026-12-16T09:00:00.000Z'],
    ['a folded date', ['Expires: Wed,', ' 16 Dec 2026 10:00:00 +0000'], '2026-12-16T10:00:00.000Z'],
    ['none', ['Date: Wed, 16 Dec 2026 10:00:00 +0000'], null],
    ['none in its headers', [''], null],
    ['two', ['Expires: 16 Dec 2026 10:00 +0000', 'Expires: 17 Dec 2026 10:00 +0000'], null],
    ['no date', ['Expires: soon'], null],
    ['a bare number', ['Expires: 0'], null],
    ['a day that there is not', ['Expires: 16 Foo 2026 10:00 +0000'], null],
    ['a far year', ['Expires: 16 Dec 99999 10:00 +0000'], null],
  ])('expires: %s', (_what, lines, at) => {
    expect(expiryOf(message(...lines))?.toISOString() ?? null).toBe(at);
  });
});
