import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplyParser, replyText, SmtpProtocolError } from './smtp-reply.ts';

const feed = (text: string) => new ReplyParser().feed(Buffer.from(text));

describe('the answers of a server', () => {
  it.each([
    ['250 ok\r\n', [{ code: 250, enhanced: '', lines: ['ok'] }]],
    ['250\r\n', [{ code: 250, enhanced: '', lines: [''] }]],
    ['550 5.1.1 no such user\r\n', [{ code: 550, enhanced: '5.1.1', lines: ['5.1.1 no such user'] }]],
    // The class of an enhanced code is that of the code, or it is text.
    ['250 5.1.1 odd\r\n', [{ code: 250, enhanced: '', lines: ['5.1.1 odd'] }]],
    ['250-a\r\n250-b\r\n250 c\r\n', [{ code: 250, enhanced: '', lines: ['a', 'b', 'c'] }]],
    ['550 Empfänger\u2028unbekannt\r\n', [{ code: 550, enhanced: '', lines: ['Empfänger\u2028unbekannt'] }]],
    ['220 a\n', [{ code: 220, enhanced: '', lines: ['a'] }]],
  ])('%j', (text, replies) => expect(feed(text)).toEqual(replies));

  it('in Latin-1 are read as such', () => {
    const [reply] = new ReplyParser().feed(Buffer.from('550 Empf\xe4nger unbekannt\r\n', 'latin1'));
    expect(reply).toMatchObject({ lines: ['Empfänger unbekannt'] });
  });

  it('come out the same however the bytes are cut', () => {
    const text = '250-a\r\n250 b\r\n354 go\r\n451-4.3.0 x\r\n451 4.3.0 y\r\n';
    const whole = feed(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: text.length - 1 })), (cuts) => {
        const parser = new ReplyParser();
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const replies = at
          .slice(1)
          .flatMap((end, index) => parser.feed(Buffer.from(text.slice(at[index], end))));
        expect(replies).toEqual(whole);
        expect(parser.isEmpty).toBe(true);
      }),
    );
  });

  it.each([
    'hello\r\n',
    '999 x\r\n',
    '25 x\r\n',
    '250-a\r\n251 b\r\n',
    '\r\n',
    `250 ${'x'.repeat(5000)}\r\n`,
  ])('refuses %j', (text) => expect(() => feed(text)).toThrow(SmtpProtocolError));

  it('keeps neither an endless line nor endless lines', () => {
    expect(() => feed('x'.repeat(5000))).toThrow('too long');
    expect(() => feed('250-x\r\n'.repeat(200))).toThrow('too many lines');
  });

  it('is logged without control characters', () => {
    expect(replyText({ code: 550, enhanced: '', lines: ['a\x1b[31m', 'b'] })).toBe('550 a [31m b');
  });
});
