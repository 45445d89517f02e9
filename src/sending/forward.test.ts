import { describe, expect, it } from 'vitest';
import { htmlLinks } from '../contents/html-links.ts';
import { linkIdsOf } from '../mail/link-ids.ts';
import { Secrets } from '../platform/secrets.ts';
import { forwardedJob, forwarderName, friendHash } from './forward.ts';
import type { FrozenJob } from './frozen-job.ts';

it.each([
  ['', ''],
  ['  ', ''],
  [' Jo   Ann ', 'Jo Ann'],
  ['Jean-Luc D.', 'Jean-Luc D.'],
  ['O’Neill', 'O’Neill'],
  ["d'Arc", "d'Arc"],
  ['Zoe\u0301', 'Zo\u00e9'],
  ['王伟', '王伟'],
  ['a'.repeat(40), 'a'.repeat(40)],
  ['a'.repeat(41), undefined],
  ['evil.example', undefined],
  ['Mr. evil.example', undefined],
  ['Jo.', 'Jo.'],
  ['.Jo', undefined],
  ['x@y', undefined],
  ['http://x', undefined],
  ['100 €', undefined],
  ['[[FLD.1]]', undefined],
  ['<b>', undefined],
  ['a\r\nBcc: b', undefined],
  ['a\u2028b:', undefined],
  ['a'.repeat(1_000_000), undefined],
] as const)('the name %j is kept as %j', (text, kept) => {
  expect(forwarderName(text)).toBe(kept);
});

it('knows an address again whatever its case, and on its site only', () => {
  const secrets = new Secrets(Buffer.alloc(32, 7));
  const hash = friendHash(secrets, 1, 'Ann@a.example');
  expect(friendHash(secrets, 1, 'aNN@a.example')).toEqual(hash);
  expect(friendHash(secrets, 2, 'Ann@a.example')).not.toEqual(hash);
  expect(friendHash(secrets, 1, 'Bob@a.example')).not.toEqual(hash);
});

describe('the message for a friend', () => {
  const conf = {
    ...{ idSite: 'demo', idCampaign: 1, campaignName: 'News', idJob: 2, idSegment: 3, segmentName: 'All' },
    ...{ idSent: 4, date: '2026-11-20T10:00:00.000Z' },
  };
  const at = new Date('2026-11-22T08:00:00Z');
  const frozen: FrozenJob = {
    source: {
      from: { email: 'news@a.example', alias: 'News' },
      replyTo: { email: 'answers@a.example', alias: '' },
      recipientAlias: '[[FLD.101]]',
      html: '<html><body class="x"><p>Hello</p></body></html>',
      text: 'Hello',
      links: [],
      hasPixel: true,
      hasListUnsubscribe: false,
      listId: 'demo.a.example',
      feedbackId: '1:2:demo:facteur',
      messageIdDomain: 'mail.test',
      fields: [],
    },
    sents: [
      { subject: 'First', conf: { ...conf, idSent: 3 } },
      { subject: 'Second', conf },
    ],
    sendingSpeed: 0,
    bounceDomain: 'mail.test',
    publicUrl: 'http://mail.test',
  };

  it('says at its top who forwards it, why it comes and how to stop it, in their language', () => {
    const made = forwardedJob(frozen, 4, { name: "d'Arc", language: 'fr', at });
    expect(made.sents).toEqual([{ subject: 'Fwd: Second', conf: { ...conf, date: at.toISOString() } }]);
    expect(made.source.html).toMatch(/<body class="x"><div style="[^"]*"><strong>d&#39;Arc vous a transféré/);
    expect(made.source.html).toContain('<a href="[[LINK.UNSUB]]"');
    expect(made.source.text).toMatch(/^d'Arc vous a transféré ce message\./);
    expect(made.source.text).toContain('[[LINK.UNSUB]]\r\n\r\nHello');
    expect(forwardedJob(frozen, 4, { name: '', language: 'en', at }).source.text).toMatch(
      /^A reader forwarded/,
    );
  });

  it('names no list, names its reader by address only, and can always be stopped', () => {
    const { source } = forwardedJob(frozen, 4, { name: '', language: 'en', at });
    expect(source).toMatchObject({ recipientAlias: '', listId: '', hasListUnsubscribe: true });
    expect(source).toMatchObject({ from: frozen.source.from, replyTo: frozen.source.replyTo });
  });

  it('knows the links of advertisements behind what it adds', () => {
    const url = 'https://shop.example/';
    const link = `<a href="${url}">x</a>`;
    const html = `<html><head><title>t</title></head><body>${link}<p>${link}</p></body></html>`;
    const start = html.lastIndexOf(link);
    const content = {
      html,
      spans: [{ start, end: start + link.length, id: 8 }],
      placements: [8],
      links: [{ url, id: 70, placement: 8 }],
    };
    const source = { ...frozen.source, links: [{ url, id: 7 }] };
    const made = forwardedJob({ ...frozen, source, sents: [{ subject: 'x', conf, content }] }, 4, {
      name: '',
      language: 'en',
      at,
    });
    const asked: (number | undefined)[] = [];
    const { inHtml } = linkIdsOf(made.source);
    const linkOf = inHtml();
    for (const found of htmlLinks(made.source.html))
      if (found.url === url) asked.push(linkOf(found.url, found.start));
    expect(asked).toEqual([7, 70]);
  });

  it('adds no part that the message does not have, and no second “Fwd:”', () => {
    const plain = { ...frozen, source: { ...frozen.source, html: '' } };
    expect(forwardedJob(plain, 4, { name: '', language: 'en', at }).source.html).toBe('');
    const again = { ...frozen, sents: [{ subject: 'FWD: x', conf }] };
    expect(forwardedJob(again, 4, { name: '', language: 'en', at }).sents[0]?.subject).toBe('FWD: x');
  });
});
