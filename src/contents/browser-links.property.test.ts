import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { describe, expect, test } from 'vitest';
import { htmlLinks } from './html-links.ts';
import { hasUnsubscriptionLink } from './unsubscription-link.ts';

/** Pieces of newsletters, whole and broken; `#` becomes the number of the piece. */
const pieces = fc.constantFrom(
  ...[
    '<a href="https://a.fr/#">',
    '<A HREF=https://a.fr/#>',
    "<a class='x' href='https://a.fr/#?a=1&amp;b'>",
  ],
  ...[
    '<area href="https://a.fr/#">',
    '</a>',
    'text',
    ' ',
    '&nbsp;',
    '<p>',
    '</p>',
    '<p class="x>',
    '"',
    "'",
    '>',
  ],
  ...[
    '<table>',
    '</table>',
    '<tr>',
    '<td>',
    '</td>',
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<div>',
    '</div>',
    '<font a=#>',
  ],
  ...['<svg>', '</svg>', '<title/>', '<title>', '</title>', '<math>', '<mi>', '<foreignObject>', '<desc>'],
  ...[
    '<!--',
    '-->',
    '<!-->',
    '<!--[if mso]>',
    '<![endif]-->',
    '<![if !mso]>',
    '<![endif]>',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    '<textarea>',
    '</textarea>',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<template>',
    '</template>',
  ],
  ...[
    '<noscript>',
    '</noscript>',
    '<select>',
    '</select>',
    '<option>',
    '<body>',
    '</body>',
    '<html>',
    '</html>',
  ],
  ...[
    '<!DOCTYPE html>',
    '<?xml?>',
    '<',
    '</',
    '<a',
    '<img src=x>',
    '[[FLD.1]]',
    '\r\n',
    '<plaintext>',
    '<br/>',
  ],
);
const documents = fc
  .array(pieces, { maxLength: 30 })
  .map((all) => all.map((piece, index) => piece.replace('#', String(index))).join(''));

/** The links that parse5's own tree has, by where they begin: a browser repeats those that are not closed. */
function treeLinks(html: string): string[] {
  const found = new Map<number, string>();
  const walk = (node: Tree.Node): void => {
    if ('tagName' in node && (node.tagName === 'a' || node.tagName === 'area')) {
      const href = node.attrs.find(({ name }) => name === 'href')?.value;
      const at = node.sourceCodeLocation?.startOffset;
      if (href?.startsWith('https://') && at !== undefined) found.set(at, href);
    }
    if ('content' in node) walk(node.content);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false }));
  return [...found].sort(([a], [b]) => a - b).map(([, href]) => href);
}

/** Without what only Outlook shows. */
const withoutConditional = (html: string) => html.replaceAll('<!--[if mso]>', '<!--');

describe('the links of damaged documents', () => {
  test('hold every link of the tree that a browser makes, in its order and with its address', () => {
    fc.assert(
      fc.property(documents.map(withoutConditional), (html) => {
        const links = htmlLinks(html).map(({ url }) => url);
        const expected = treeLinks(html).map((url) => url.replace(/[\t\n\r]/g, '').trim());
        // A browser drops some start tags, for example in a select: their links are never followed.
        expect(links.filter((url) => expected.includes(url))).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  test('are cut out of the source at their positions', () => {
    fc.assert(
      fc.property(documents, (html) => {
        for (const { url, start, end } of htmlLinks(html))
          expect(
            html
              .slice(start, end)
              .replace('&amp;', '&')
              .replace(/[\t\n\r]/g, ''),
          ).toContain(url);
      }),
      { numRuns: 1_000 },
    );
  });

  test('count as an unsubscribe link only where the tree has one around something', () => {
    fc.assert(
      fc.property(documents.map(withoutConditional), (around) => {
        const html = `${around}<a href="[[LINK.UNSUB]]">out</a>`;
        const tree = treeLinks(html.replace('[[LINK.UNSUB]]', 'https://out.fr/'));
        if (!tree.includes('https://out.fr/'))
          expect(hasUnsubscriptionLink(html, { kind: 'html' }, new Set())).toBe(false);
      }),
      { numRuns: 1_000, examples: [['<p class="x>'], ['<textarea>'], ['<svg><title/>'], ['<!-- x -->']] },
    );
  });
});
