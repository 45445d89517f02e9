import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import type { TagField } from '../contents/tag.ts';
import { compileMessage } from './compile-message.ts';
import type { MessageSource, RecipientValues } from './message-source.ts';
import { render } from './render-message.ts';

const fields: TagField[] = [
  { id: 1, fieldType: 'Text' },
  { id: 101, fieldType: 'Text' },
  { id: 102, fieldType: 'Date' },
  { id: 103, fieldType: 'List', list: [{ key: 1, value: 'Île-de-France' }] },
];

const source: MessageSource = {
  subject: 'Bonjour [[FLD.101|cher client]]',
  from: { email: 'news@example.org', alias: 'Facteur' },
  replyTo: { email: 'answers@example.org', alias: '' },
  recipientAlias: '[[FLD.101]]',
  html: '<html><body><p>Bonjour [[FLD.101]],</p></body></html>',
  text: 'Bonjour [[FLD.101]],\nà demain.\n',
  links: [],
  hasPixel: false,
  hasListUnsubscribe: true,
  listId: 'demo.example.org',
  feedbackId: '12:34:demo:facteur',
  messageIdDomain: 'example.org',
  conf: {
    idSite: 'demo',
    idCampaign: 12,
    campaignName: 'Soldes d’été',
    idJob: 34,
    idSegment: 56,
    segmentName: 'Paris',
    idSent: 78,
    date: '2026-07-01T22:30:00.000Z',
  },
  fields,
};

const recipient = (values: Partial<RecipientValues> = {}): RecipientValues => ({
  idSubscriber: 9,
  email: 'zoe@example.com',
  fields: [],
  linkFor: (kind, idLink) => `https://t.example.org/${kind}/${idLink ?? 0}`,
  ...values,
});

/** Compiles, renders and reads back; every message made here keeps the rules of the wire. */
async function send(
  change: Partial<MessageSource>,
  values: Record<number, RecipientValues['fields'][number]>,
) {
  const compiled = compileMessage({ ...source, ...change });
  const made = render(compiled, recipient({ fields: compiled.fields.map((id) => values[id] ?? null) }));
  expectWireRules(made.message);
  expect(Buffer.concat([made.headers, Buffer.from('\r\n'), made.body]).equals(made.message)).toBe(true);
  return { compiled, made, raw: made.message.toString('latin1'), mail: await PostalMime.parse(made.message) };
}

function expectWireRules(message: Buffer): void {
  const text = message.toString('latin1');
  expect(text).not.toMatch(/(?<!\r)\n|\r(?!\n)|\0/);
  expect(text.endsWith('\r\n')).toBe(true);
  const [headers = '', ...body] = text.split('\r\n\r\n');
  for (const line of headers.split('\r\n')) {
    // A long address cannot be folded; everything else is.
    if (!/^(List-Unsubscribe|To|Message-ID)/.test(line) && !line.startsWith(' <'))
      expect(line.length).toBeLessThanOrEqual(78);
    expect(line).toMatch(/^(Subject:$|[!-9;-~]+: .*[!-~]|[ \t].*[!-~])/);
  }
  for (const line of body.join('\r\n\r\n').split('\r\n')) {
    expect(line.length).toBeLessThanOrEqual(76);
    expect(line).not.toMatch(/^\.|^From |[ \t]$/);
  }
}

const header = (mail: { headers: { key: string; value: string }[] }, key: string) =>
  mail.headers.filter((one) => one.key === key).map((one) => one.value);

describe('headers', () => {
  test('names the parties, the subject, the date and the identity', async () => {
    const { mail } = await send({}, { 101: 'Zoé' });
    expect(mail.from).toEqual({ name: 'Facteur', address: 'news@example.org' });
    expect(mail.replyTo).toEqual([{ name: '', address: 'answers@example.org' }]);
    expect(mail.to).toEqual([{ name: 'Zoé', address: 'zoe@example.com' }]);
    expect(mail.subject).toBe('Bonjour Zoé');
    expect(mail.date).toBe('2026-07-01T22:30:00.000Z');
    expect(mail.messageId).toBe('<demo.78.9@example.org>');
    expect(header(mail, 'list-unsubscribe')).toEqual(['<https://t.example.org/unsub/0>']);
    expect(header(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
    expect(header(mail, 'list-id')).toEqual(['<demo.example.org>']);
    expect(header(mail, 'feedback-id')).toEqual(['12:34:demo:facteur']);
    expect(header(mail, 'precedence')).toEqual(['bulk']);
    expect(header(mail, 'mime-version')).toEqual(['1.0']);
  });

  test('omits what the source omits', async () => {
    const { mail } = await send(
      { replyTo: null, hasListUnsubscribe: false, listId: '', feedbackId: '', recipientAlias: '' },
      {},
    );
    expect(mail.replyTo).toBeUndefined();
    expect(mail.to).toEqual([{ name: '', address: 'zoe@example.com' }]);
    for (const key of ['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'feedback-id'])
      expect(header(mail, key)).toEqual([]);
    expect(mail.subject).toBe('Bonjour cher client');
  });

  test('one click is omitted where it is not safe, and the address to leave stays', async () => {
    const { mail } = await send({ hasOneClick: false }, {});
    expect(header(mail, 'list-unsubscribe')).toEqual(['<https://t.example.org/unsub/0>']);
    expect(header(mail, 'list-unsubscribe-post')).toEqual([]);
  });

  test('a value with line ends makes no header of its own', async () => {
    for (const attack of [
      'a\r\nBcc: x@evil.test',
      'a\nBcc: x@evil.test',
      'a\u2028Bcc: x',
      'a\0b',
      'a\x85b',
    ]) {
      const { mail, made } = await send({}, { 101: attack });
      expect(header(mail, 'bcc')).toEqual([]);
      expect(mail.subject).toBe(`Bonjour ${attack.replace(/[\r\n\0\x85\u2028]+/g, ' ')}`);
      expect(
        made.headers
          .toString()
          .split('\r\n')
          .filter((line) => /^bcc/i.test(line)),
      ).toEqual([]);
    }
  });

  test('a value that looks like an encoded word is shown, not decoded', async () => {
    const { mail } = await send({}, { 101: '=?utf-8?Q?=0D=0ABcc:_x?=' });
    expect(mail.subject).toBe('Bonjour =?utf-8?Q?=0D=0ABcc:_x?=');
    expect(mail.to?.[0]?.name).toBe('=?utf-8?Q?=0D=0ABcc:_x?=');
  });

  test('a source with line ends in a header line, or a bad address, is an error', () => {
    const errorsOf = (change: Partial<MessageSource>) =>
      compileMessage({ ...source, ...change }).errors.map((error) => error.tag);
    expect(errorsOf({})).toEqual([]);
    expect(errorsOf({ subject: 'a\r\nBcc: x' })).toEqual(['subject']);
    expect(errorsOf({ from: { email: 'a@b.fr\r\n', alias: 'x\n' } })).toEqual(['senderAlias', 'senderEMail']);
    expect(errorsOf({ replyTo: { email: 'a b@c.fr', alias: '' } })).toEqual(['responseEMail']);
    expect(errorsOf({ listId: 'a b', feedbackId: 'é' })).toEqual(['listId', 'feedbackId']);
    expect(errorsOf({ subject: '[[NOPE]]', html: '[[FLD.999]]' })).toEqual(['[[NOPE]]', '[[FLD.999]]']);
  });

  test('a recipient address that could change a header is refused', () => {
    const compiled = compileMessage(source);
    for (const email of ['a@b.fr\r\nBcc: x@y', 'a@b.fr> <x@y', 'a b@c.fr', '', 'a@b@c', 'a@b\u2028'])
      expect(() => render(compiled, recipient({ email }))).toThrow('cannot be written in a header');
  });

  test('any subject and any name come back as they were', async () => {
    const line = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(' ', 'é', '👩‍👩‍👧', '"', '\\', '=?', '漢', ',', '<'),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
        ),
        maxLength: 60,
      })
      .map((text) =>
        text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, '').replace(/\p{Surrogate}|\[\[|\ufeff/gu, ''),
      );
    await fc.assert(
      fc.asyncProperty(line, line, line, async (subject, from, to) => {
        const { mail } = await send(
          {
            subject: `${subject}[[FLD.101]]`,
            from: { email: 'a@b.fr', alias: from },
            recipientAlias: '[[FLD.1]]',
          },
          { 101: to, 1: to },
        );
        expect(mail.subject ?? '').toBe(subject + to);
        expect(mail.from?.name).toBe(from.trim());
        expect(mail.to?.[0]?.name).toBe(to.trim());
      }),
      { numRuns: 400 },
    );
  });
});

describe('bodies', () => {
  test('text and HTML are alternatives, text first', async () => {
    const { mail, raw } = await send({}, { 101: 'Zoé <b>' });
    expect(raw.indexOf('text/plain')).toBeLessThan(raw.indexOf('text/html'));
    expect(mail.text).toBe('Bonjour Zoé <b>,\nà demain.\n\n');
    expect(mail.html).toBe('<html><body><p>Bonjour Zoé &lt;b&gt;,</p></body></html>\n');
    expect(mail.attachments).toEqual([]);
  });

  test('one part alone is the whole body', async () => {
    const text = await send({ html: ' \n' }, { 101: 'Zoé' });
    expect(text.raw).toContain('Content-Type: text/plain; charset=utf-8\r\n');
    expect(text.mail.html).toBeUndefined();
    const html = await send({ text: '' }, { 101: 'Zoé' });
    expect(html.raw).toContain('Content-Type: text/html; charset=utf-8\r\n');
    expect(html.mail.html).toContain('Bonjour Zoé');
  });

  test('tracked links and the pixel are made for each recipient, untracked ones stay', async () => {
    const { mail, compiled } = await send(
      {
        html: '<body><a href="https://a.fr/?x=1&amp;y=2">a</a><a href="https://b.fr/">b</a></body>',
        text: 'https://a.fr/?x=1&y=2 (https://b.fr/)',
        links: [{ url: 'https://a.fr/?x=1&y=2', id: 5 }],
        hasPixel: true,
      },
      {},
    );
    expect(compiled.links).toEqual([{ kind: 'unsub' }, { kind: 'click', idLink: 5 }, { kind: 'open' }]);
    expect(mail.html).toContain('<a href="https://t.example.org/click/5">a</a><a href="https://b.fr/">b</a>');
    expect(mail.html).toMatch(/<img src="https:\/\/t\.example\.org\/open\/0"[^>]*><\/body>/);
    expect(mail.text).toBe('https://t.example.org/click/5 (https://b.fr/)\n');
  });

  test('shows configuration, lists, dates and conditions', async () => {
    const { mail } = await send(
      {
        html: '',
        text: [
          '[[CONF.1]] [[CONF.3]] [[CONF.7]] [[CONF.8]] [[CONF.9]] [[CONF.10]]',
          '[[FLD.103]] [[FLD.102]] [[IF FLD.101 Equal "zoe"]]oui[[ELSE]]non[[END]] [[LINK.UNSUB]]',
        ].join('\n'),
      },
      { 101: 'Zoé', 102: new Date('2000-02-28T23:30:00Z'), 103: 1 },
    );
    expect(mail.text).toBe(
      'demo Soldes d’été 78 9 demo.78.9@example.org 02/07/2026\n' +
        'Île-de-France 29/02/2000 oui https://t.example.org/unsub/0\n',
    );
  });

  test('what values would make larger than a relay takes is not made, and not tried to', async () => {
    const compiled = compileMessage({ ...source, html: '[[FLD.101]]'.repeat(5_000) });
    const made = () => render(compiled, recipient({ fields: ['é'.repeat(10_000)] }));
    expect(made).toThrow('The message would be larger than 25 MB');
    // Room for what was not made must not be kept for the next one.
    expect(compiled.program.likelySize).toBeLessThan(1024 ** 2);
    expect(render(compiled, recipient({ fields: ['é'] })).message.length).toBeLessThan(100_000);
  });

  test('a value is never read as tags', async () => {
    const { mail } = await send({ html: '', text: '[[FLD.101]]' }, { 101: '[[FLD.1]] [[LINK.UNSUB]]' });
    expect(mail.text).toBe('[[FLD.1]] [[LINK.UNSUB]]\n');
  });

  test('any text and any value come back as they were', async () => {
    const anyText = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '.',
          '..',
          '\n',
          '\n.\n',
          ' ',
          '\t',
          '=',
          '=0',
          'From ',
          '\nFrom ',
          'é',
          '👩‍👩‍👧',
          '-- ',
          'x'.repeat(80),
        ),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
      ),
      maxLength: 80,
    });
    const clean = (text: string) =>
      text.replace(/[\0\ufeff]|\[\[|\p{Surrogate}/gu, '').replace(/\r\n?/g, '\n');
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (before, value, behind) => {
        const [a, b, c] = [clean(before), clean(value), clean(behind)];
        const { mail } = await send({ html: '', text: `t${a}[[FLD.101]]${c}` }, { 101: b });
        expect(mail.text).toBe(`t${a}${b}${c}\n`);
      }),
      { numRuns: 500 },
    );
  });
});
