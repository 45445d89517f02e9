import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { withoutAddressFields } from './address-fields.ts';

const without = (text: string) => Buffer.from(withoutAddressFields(Buffer.from(text))).toString();

describe('a message without the fields that hold addresses', () => {
  test('keeps all other fields, folded ones whole, and its body as it is', () => {
    const head = 'Subject: a\r\n\tTo: b\r\nX-From: c\r\nMessage-ID:\r\n <d@e>\r\n';
    const body = '\r\nFrom: x\r\nTo: y\r\n';
    expect(without(`From: x\r\n y\r\n\tz\r\n${head}TO : x\r\nReply-To:x\r\n${body}`)).toBe(head + body);
  });

  test('is an empty one, a head alone, or a body alone where it was', () => {
    for (const text of ['', 'Subject: a', '\r\nFrom: x', '\nFrom: x', '\r\r\nFrom: x'])
      expect(without(text)).toBe(text);
    expect(without('From: x')).toBe('');
  });

  test.each([
    'From: a@b.fr',
    ' From: a@b.fr',
    '\u{feff}From: a@b.fr',
    'fROM \t : a@b.fr',
    'From\r\n : a@b.fr',
    'From\r\n\t\r\n : a@b.fr',
    'From\r: a@b.fr',
    'Subject: x\nFrom: a@b.fr',
    'Subject: x\r\rFrom: y\nFrom: a@b.fr',
    'Sender: a@b.fr',
    'Delivered-To: a@b.fr',
    'Return-Path: a@b.fr',
    'Bcc: a@b.fr',
  ])('leaves the parser no address of %j', async (head) => {
    const { from, sender, deliveredTo, returnPath, to, cc, bcc, replyTo } = await new PostalMime().parse(
      withoutAddressFields(Buffer.from(`${head}\r\n\r\nx`)),
    );
    expect([from, sender, deliveredTo, returnPath, to, cc, bcc, replyTo].filter(Boolean)).toEqual([]);
  });
});
