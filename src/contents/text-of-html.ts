import { compile as converterOf, type FormatCallback } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { decodeInside } from './content-template.ts';
import { parseTag } from './tag-parser.ts';
import { type RawTag, scanTags } from './tag-scanner.ts';

/** Maximum nesting: the converter needs more than linear time for deeper elements (100,000 take 2.5 s). */
const maxDepth = 1_000;

/** A text made from HTML, or the reason why none can be made. */
export type TextOfHtml = { readonly text: string } | { readonly problem: string };

const alternativeText: FormatCallback = ({ attribs }, _walk, builder) => {
  const alt = (attribs as Record<string, string> | undefined)?.alt?.trim();
  if (alt) builder.addInline(alt);
};

/** Selectors of hidden parts, for example a preheader. */
const hiddenParts = [
  '[hidden]',
  '[style*="display:none"i]',
  '[style*="display: none"i]',
  '[style*="display :none"i]',
  '[style*="mso-hide:all"i]',
  '[style*="visibility:hidden"i]',
  '[style*="visibility: hidden"i]',
];
/** Elements of a document without readable text. */
const unread = ['head', 'title', 'style', 'script', 'template', 'textarea', 'svg'];
/** Table cells, one below the other, because newsletters use tables for layout. */
const cells = ['tr', 'td', 'th', 'caption'];
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const convert = converterOf({
  wordwrap: false,
  formatters: { alternativeText },
  selectors: [
    // In angle brackets, as texts are searched for addresses to track.
    { selector: 'a', options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'alternativeText' },
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
    ...cells.map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    ...[...unread, ...hiddenParts].map((selector) => ({ selector, format: 'skip' })),
  ],
});

/**
 * The text part of a message whose campaign has none: the text of the HTML, with links in angle brackets after their
 * words, and tags unchanged. Advertisements are in HTML only, so their tags are omitted.
 * @param html with header and footer; may contain tags
 * @returns a problem if the HTML hides only a part of a condition, because its tags would no longer match
 */
export function textOfHtml(html: string): TextOfHtml {
  if (depthOf(html) > maxDepth) return { problem: `its elements are nested deeper than ${maxDepth}` };
  const { tags } = scanTags(html);
  const text = restored(convert(masked(html, tags)), tags);
  const lost = conditionsOf(scanTags(text).tags) !== conditionsOf(tags);
  if (lost) return { problem: 'a part that is not shown holds only one end of an [[IF …]] … [[END]]' };
  return {
    text: text
      .replace(/[ \t\u00a0]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

/** Maximum nesting of elements; counted up to `maxDepth` and the rest of a chunk. */
function depthOf(html: string): number {
  let depth = 0;
  let most = 0;
  const parser = new Parser({
    onopentag: () => {
      depth++;
      if (depth > most) most = depth;
    },
    onclosetag: () => void depth--,
  });
  const chunk = 16_384;
  for (let at = 0; at < html.length && most <= maxDepth; at += chunk)
    parser.write(html.slice(at, at + chunk));
  return most;
}

// Private-use characters around a tag's number: unlike the quotes, brackets and spaces of a tag, neither an HTML parser
// nor collapsed white space changes them.
const mark = (index: number): string => `\ue000${index}\ue001`;

function masked(html: string, tags: readonly RawTag[]): string {
  const pieces: string[] = [];
  let from = 0;
  tags.forEach(({ start, end }, index) => {
    pieces.push(html.slice(from, start), mark(index));
    from = end;
  });
  return [...pieces, html.slice(from)].join('');
}

function restored(text: string, tags: readonly RawTag[]): string {
  return text.replace(/\ue000(\d+)\ue001/g, (_, index: string) => {
    const inside = decodeInside(tags[Number(index)]?.inside ?? '');
    return inside === '' || parseTag(inside)?.kind === 'advertisement' ? '' : `[[${inside}]]`;
  });
}

function conditionsOf(tags: readonly RawTag[]): string {
  return tags
    .map(({ inside }) => parseTag(decodeInside(inside))?.kind)
    .filter((kind) => kind === 'if' || kind === 'else' || kind === 'end')
    .join(' ');
}
