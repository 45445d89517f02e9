import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlPictures, replacePictures } from './html-pictures.ts';

const urls = (html: string) => htmlPictures(html).map(({ url }) => url);
const a = 'http://a.fr/a.png';
const b = 'https://b.fr/b.png';

describe('pictures of HTML', () => {
  test.each<[string, string, string[]]>([
    ['img', `<IMG alt=x SRC = '${a}'><img src=${b}>`, [a, b]],
    ['blanks around', `<img src=" \n${a}\t">`, [a]],
    ['entities', '<img src="http://a.fr/?a=1&amp;b=2&copy=3">', ['http://a.fr/?a=1&b=2&copy=3']],
    ['without a scheme', '<img src="//a.fr/a.png">', ['//a.fr/a.png']],
    ['srcset', `<img srcset="${a} 1x, ${b} 2x">`, [a, b]],
    ['srcset of a picture', `<picture><source srcset="${a},\n ${b} 100w,"></picture>`, [a, b]],
    ['srcset with commas in an address', '<img srcset="http://a.fr/w_1,h_2 1x">', ['http://a.fr/w_1,h_2']],
    ['srcset with an address of data', `<img srcset="data:image/png;base64,AA== 1x, ${a} 2x">`, [a]],
    ['background', `<body background="${a}"><td BACKGROUND=${b}>`, [a, b]],
    [
      'inputs and posters',
      `<input type=image src="${a}"><video poster="${b}" src="http://c.fr/v.mp4">`,
      [a, b],
    ],
    ["Outlook's", `<!--[if mso]><v:fill type="frame" src="${a}"/><![endif]-->`, [a]],
    ['style attributes', `<td style="background:url(${a}) red">`, [a]],
    ['style attributes with entities', `<td style="b:url(&quot;${a}?x&amp;y&quot;)">`, [`${a}?x&y`]],
    ['style elements', `<style>a{b:url('${a}')}</style><STYLE media=x>${'\n'}c{d:url(${b})}</STYLE>`, [a, b]],
    ['a style element that is not closed', `<style>a{b:url(${a})}`, [a]],
    ["Outlook's style elements", `<!--[if mso]><style>a{b:url(${a})}</style><![endif]-->`, [a]],
    ['none in comments, text and links', `<!-- <img src="${a}"> --> ${a} <a href="${b}">url(${a})</a>`, []],
    ['no scripts, frames, media', `<script src="${a}"></script><iframe src="${b}"></iframe>`, []],
    ['no other addresses', '<img src="data:image/png;base64,AA=="><img src="cid:a"><img src="/a.png">', []],
    ['no other schemes', '<img src="file:///a"><img src="javascript:a"><img src="ftp://a.fr/a.png">', []],
  ])('%s', (_what, html, expected) => {
    expect(urls(html)).toEqual(expected);
  });

  test('an address with a tag is marked, wherever the tag is', () => {
    const html = `<img src="http://a.fr/[[FLD.1|a "b"]].png"><td style="x:url([[FLD.2]])"><img src="${a}">`;
    expect(htmlPictures(html).map(({ url, hasTags }) => [url, hasTags])).toEqual([
      ['http://a.fr/[[FLD.1|a "b"]].png', true],
      ['[[FLD.2]]', true],
      [a, false],
    ]);
  });

  test('very long addresses, and those behind ten thousand, are left alone', () => {
    expect(urls(`<img src="http://a.fr/${'x'.repeat(4_000)}"><img src="${a}">`)).toEqual([a]);
    expect(urls(`<img src="${a}">`.repeat(10_001))).toHaveLength(10_000);
    expect(urls(`<style>${`url(${a})`.repeat(10_001)}</style>`)).toHaveLength(10_000);
  });
});

describe('other addresses', () => {
  test('each place gets its new one; everything else stays, byte for byte', () => {
    const html =
      `<img src=" ${a} " alt='é&eacute; [[FLD.1]]'><img srcset="${a} 1x, ${b} 2x">` +
      `<td style='x:url( &quot;${a}&quot; );y:"&amp;"'><style>a{b:url("${b}")}</style><a href="${a}">&copy</a>`;
    expect(replacePictures(html, htmlPictures(html), new Map([[a, 'N']]))).toBe(
      `<img src=" N " alt='é&eacute; [[FLD.1]]'><img srcset="N 1x, ${b} 2x">` +
        `<td style='x:url( &quot;N&quot; );y:"&amp;"'><style>a{b:url("${b}")}</style><a href="${a}">&copy</a>`,
    );
  });

  test('behind entities of one unit, of two and of none, and those without their end', () => {
    const before = '&amp; 1x, &#x1F600;&fjlig;&none;&#38x;&copy, ';
    const html = `<img srcset="${before}${a}?x&amp;y&#38z 2x, ${b}">`;
    expect(urls(html)).toEqual([`${a}?x&y&#38z`, b]);
    const newUrls = new Map([
      [`${a}?x&y&#38z`, 'N'],
      [b, 'O'],
    ]);
    expect(replacePictures(html, htmlPictures(html), newUrls)).toBe(`<img srcset="${before}N 2x, O">`);
  });

  const piece = fc.constantFrom(
    ...[
      '<img src="',
      '<td style="b:url(',
      '<style>',
      '</style>',
      'url("',
      '")',
      '">',
      ' ',
      ',',
      '&amp;',
      '&quot;',
    ],
    ...[
      a,
      b,
      '[[FLD.1]]',
      "'",
      '<!--',
      '-->',
      '<!--[if mso]>',
      'srcset=',
      '@import ',
      '{',
      '}',
      '\\',
      'é',
      '=',
    ],
  );

  test('with the old ones in place of new ones it is the same HTML, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = pieces.join('');
        const places = htmlPictures(html);
        for (const { start, end } of places) expect(start).toBeLessThan(end);
        const marked = replacePictures(html, places, new Map(places.map(({ url }) => [url, '\u0001'])));
        let index = 0;
        const back = marked.replaceAll('\u0001', () => {
          const { start, end } = places[index++]!;
          return html.slice(start, end);
        });
        expect(back).toBe(html);
      }),
      { numRuns: 500 },
    );
  });
});
