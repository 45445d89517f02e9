import { decodeHTMLAttribute, escapeAttribute } from 'entities';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlLinks, isWebAddress, textLinks } from './html-links.ts';
import { fillTags } from './tag-filler.ts';
import { compileTags } from './tag-language.ts';

const urls = (html: string) => htmlLinks(html).map((link) => link.url);
const trackable = (html: string) =>
  htmlLinks(html)
    .filter((link) => link.isTrackable)
    .map((link) => link.url);

describe('links of HTML', () => {
  test.each<[string, string, string[]]>([
    ['double quotes', '<a href="https://a.fr/x">a</a>', ['https://a.fr/x']],
    ['single quotes', "<A class=x HREF = 'https://a.fr/x'>a</a>", ['https://a.fr/x']],
    ['no quotes', '<a href=https://a.fr/x>a</a>', ['https://a.fr/x']],
    ['areas', '<map><area href="https://a.fr/"></map>', ['https://a.fr/']],
    ['&amp; of a query', '<a href="https://a.fr/?a=1&amp;b=2">', ['https://a.fr/?a=1&b=2']],
    [
      '& of a query that looks like an entity',
      '<a href="https://a.fr/?a=1&copy=2&lt=3">',
      ['https://a.fr/?a=1&copy=2&lt=3'],
    ],
    ['numeric references', '<a href="https://a.fr/&#x3F;a&#61;1">', ['https://a.fr/?a=1']],
    ['international addresses', '<a href="https://élève.fr/été?q=ü">', ['https://élève.fr/été?q=ü']],
    ['blanks around and line breaks inside', '<a href=" \nhttps://a.fr/\r\n\tx ">', ['https://a.fr/x']],
    [
      'tags in an address',
      '<a href="https://a.fr/?e=[[FLD.1|a "b" > c]]&amp;x">',
      ['https://a.fr/?e=[[FLD.1|a "b" > c]]&x'],
    ],
    [
      'Outlook buttons',
      '<!--[if mso]><v:roundrect href="https://a.fr/b"></v:roundrect><![endif]-->',
      ['https://a.fr/b'],
    ],
    [
      'links for others than Outlook',
      '<!--[if !mso]><!--><a href="https://a.fr/c">c</a><!--<![endif]-->',
      ['https://a.fr/c'],
    ],
    ['not other comments', '<!-- <a href="https://a.fr/">x</a> -->', []],
    ['not scripts', '<script>"<a href=\'https://a.fr/\'>"</script>', []],
    ['not style sheets and bases', '<link href="https://a.fr/x.css"><base href="https://a.fr/">', []],
    [
      'not anchors, scripts, relative addresses',
      '<a href="#x"><a href="javascript:x()"><a href="/x"><a href="//x.fr">',
      [],
    ],
    ['not pages of the service', '<a href="[[LINK.UNSUB]]"><a href="http://[[LINK.MIRROR]]">', []],
    ['a field that holds an address', '<a href="[[FLD.101]]">', ['[[FLD.101]]']],
    [
      'one address or another',
      '<a href="[[IF FLD.1 HasValue]]https://a.fr/[[ELSE]]https://b.fr/[[END]]">',
      ['[[IF FLD.1 HasValue]]https://a.fr/[[ELSE]]https://b.fr/[[END]]'],
    ],
    ['links after foreign content', '<svg><title/><a href="https://a.fr/">x</a>', ['https://a.fr/']],
    ['the links of SVG', '<svg><a xlink:href="https://a.fr/"><text>x</text></a></svg>', ['https://a.fr/']],
    ['not a tag that is cut off', '<a href="https://a.fr/" ', []],
    [
      'mail and telephone',
      '<a href="mailto:a@b.fr?subject=x&amp;body=y"><a href="tel:+33">',
      ['mailto:a@b.fr?subject=x&body=y', 'tel:+33'],
    ],
  ])('%s', (_name, html, expected) => {
    expect(urls(html)).toEqual(expected);
  });

  test('an address is as long as it is when decoded, however long it was written', () => {
    const written = (count: number) => `<a href="http://a.fr/${'&#00000000038;'.repeat(count)}&amp=1">`;
    expect(urls(written(3900))).toEqual([`http://a.fr/${'&'.repeat(3900)}&amp=1`]);
    expect(urls(written(4000))).toEqual([]);
    expect(urls(`${written(60_000)}<a href="http://b.fr">`)).toEqual(['http://b.fr']);
  });

  test('only web addresses that a browser can read are trackable', () => {
    const refused = [
      'mailto:a@b.fr',
      'tel:1',
      'https://',
      'https://a b/',
      'http:///x',
      'https://h:[[FLD.1]]/',
    ];
    const html = ['http://a.fr', ...refused, 'HTTPS://A.fr/'].map((url) => `<a href="${url}">`).join('');
    expect(trackable(html)).toEqual(['http://a.fr', 'HTTPS://A.fr/']);
    expect(isWebAddress('https://a.fr/\r\nX')).toBe(false);
    expect(isWebAddress('ftp://a.fr/')).toBe(false);
  });
});

describe('links of text', () => {
  test.each<[string, string[]]>([
    ['Voir https://a.fr/x.', ['https://a.fr/x']],
    ['(https://a.fr/x)', ['https://a.fr/x']],
    ['https://a.fr/x_(y), https://b.fr!', ['https://a.fr/x_(y)', 'https://b.fr']],
    ['<https://a.fr/?a=1&b=2>', ['https://a.fr/?a=1&b=2']],
    ['https://a.fr/?e=[[FLD.1|x y]]&z=1 fin', ['https://a.fr/?e=[[FLD.1|x y]]&z=1']],
    ['http:// https:///x mailto:a@b.fr', ['https:///x']],
    ['https://a.fr/[[FLD.1]]', ['https://a.fr/[[FLD.1]]']],
  ])('%s', (text, expected) => {
    expect(textLinks(text).map((link) => link.url)).toEqual(expected);
  });
});

describe('rewriting', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '&',
        '&amp;',
        '&amp',
        '&copy=',
        '&lt;',
        '"',
        "'",
        '<',
        '>',
        '%',
        '%2',
        '%20',
        ' ',
        '=',
        '?',
        '#',
        '+',
        '/',
        '\\',
        'é',
        '漢',
        '👩‍👩‍👧',
        '[',
        ']',
        '{{x}}',
        ';',
        '&#38;',
        '$',
        '(',
        ')',
        '~',
        '|',
      ),
      fc.string({ minLength: 1, maxLength: 5 }),
    ),
    maxLength: 30,
  });
  const addresses = nasty
    .map((rest) =>
      `https://example.org/${rest.replace(/[\x00-\x1f\x7f]|\[\[|\]\]|\p{Surrogate}/gu, '')}`.trimEnd(),
    )
    .filter((url) => isWebAddress(url) && !url.includes('[['));

  test('an address is stored as it was written, whatever is in it', () => {
    fc.assert(
      fc.property(addresses, (url) => {
        expect(urls(`<a href="${escapeAttribute(url)}">`)).toEqual([url]);
        expect(urls(`<a href='${escapeAttribute(url).replaceAll("'", '&apos;')}'>`)).toEqual([url]);
      }),
      { numRuns: 500 },
    );
  });

  test('as browsers would read it when its author escaped nothing', () => {
    fc.assert(
      fc.property(addresses, (raw) => {
        const href = raw.replaceAll('"', '');
        expect(urls(`<a href="${href}">`)).toEqual([decodeHTMLAttribute(href).trim()]);
      }),
      { numRuns: 500 },
    );
  });

  test('bytes outside of tracked addresses do not change', () => {
    const around = fc.constantFrom(
      '<p>é &nbsp; &amp; <br/></P>\r\n',
      '<!-- x -->',
      '<![CDATA[x]]>',
      '<td bgcolor=red  >',
      '\t\n',
      '<a href="mailto:x@y.fr">',
      '<style>a>b{}</style>',
      '< a',
      '&',
      '<a href="https://other.fr/&amp;x">',
    );
    const parts = fc.array(fc.oneof(around, addresses), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (pieces) => {
        const link = (href: string) => `<a title="1>2" href="${href}" style='x'>`;
        const make = (href: (url: string) => string) =>
          pieces.map((piece) => (piece.startsWith('https:') ? link(href(piece)) : piece)).join('');
        const { nodes, errors } = compileTags(make(escapeAttribute), {
          kind: 'html',
          linkOf: (url) => (url.startsWith('https://example.org/') ? 1 : undefined),
        });
        expect(errors).toEqual([]);
        const filled = fillTags(nodes, {
          field: () => null,
          conf: () => '',
          link: () => 'https://t.fr/r/x',
          now: new Date(0),
        });
        expect(filled).toBe(make(() => 'https://t.fr/r/x'));
      }),
      { numRuns: 500 },
    );
  });
});

describe('more links than any content needs', () => {
  const address = 'https://a.fr/ ';
  test.each(['html', 'text'] as const)(
    '%s: are a mistake, so that none goes untracked in silence',
    (kind) => {
      const one = kind === 'html' ? `<a href="${address}">x</a>` : address;
      expect(compileTags(one.repeat(10_000), { kind }).errors).toEqual([]);
      expect(compileTags(one.repeat(10_001), { kind }).errors).toMatchObject([
        { tag: 'https://a.fr/', message: 'https://a.fr/: more than 10000 links' },
      ]);
    },
  );
});
