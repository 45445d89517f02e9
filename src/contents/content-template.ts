import { decodeHTML } from 'entities';
import { type ContentLink, linkCollector, maxLinks, textLinks } from './html-links.ts';
import { type AttributeValue, scanHtml } from './html-scanner.ts';
import { follow, holding, type Span } from './spans.ts';
import { type Compiled, type CompileOptions, compileSource, type Replacement } from './tag-compiler.ts';
import type { Escape } from './tag-escape.ts';
import { parseTag } from './tag-parser.ts';
import { maskTags, type RawTag, scanTags } from './tag-scanner.ts';
import type { TagNode } from './tag-tree.ts';

export interface ContentOptions extends CompileOptions {
  /**
   * Id of the tracked link of an address as stored, by where the address begins; undefined: it stays as it is. Asked in
   * the order in which the addresses stand.
   */
  readonly linkOf?: (url: string, start: number) => number | undefined;
  /** Whether an invisible picture that tells of an opening is put at the end of the body (HTML only). */
  readonly hasPixel?: boolean;
}

/**
 * Compiles an HTML content: tags are filled by where they stand (text, attribute, address), tracked addresses
 * and the pixel become slots. Everything else stays byte for byte.
 */
export function compileHtml(html: string, options: ContentOptions = {}): Compiled {
  const tagScan = scanTags(html);
  const { tags, excessAt } = tagScan;
  const context = { isHtml: true, scan: tagScan, decode: decodeInside };
  // It will be refused for its tags, so where they stand need not be found out.
  if (excessAt !== undefined)
    return compileSource(html, { ...context, escapeAt: () => 'html', replacements: [] }, options);
  const { links, bodyEnd = html.length, ...around } = readHtml(html, tags);
  const replacements = [...trackedReplacements(links, options, 'html'), ...hiddenLinks(tags, around)].sort(
    (a, b) => a.start - b.start,
  );
  if (options.hasPixel) placePixel(replacements, bodyEnd);
  const escapeAt = escapesByPosition(html, around);
  const compiled = compileSource(html, { ...context, escapeAt, replacements }, options);
  return refuseExcess(compiled, links);
}

/** What tags of an HTML stand in; what holds no tag is left out. */
interface Around {
  readonly attributes: readonly AttributeValue[];
  readonly openingTags: readonly Span[];
  readonly comments: readonly Span[];
}

function readHtml(html: string, tags: readonly RawTag[]) {
  const masked = maskTags(html, tags);
  const links: ContentLink[] = [];
  const collectLink = linkCollector(html, masked, links);
  const around = { attributes: [] as AttributeValue[], openingTags: [] as Span[], comments: [] as Span[] };
  const collectAttribute = collectorOf(around.attributes, tags);
  const { bodyEnd } = scanHtml(masked, {
    attribute(value) {
      collectLink(value);
      collectAttribute(value);
    },
    openingTag: collectorOf(around.openingTags, tags),
    comment: collectorOf(around.comments, tags),
  });
  return { links, bodyEnd, ...around };
}

/** Adds what holds a tag to a list. */
function collectorOf<T extends Span>(list: T[], tags: readonly RawTag[]): (span: T) => void {
  const holdsTag = holding(tags);
  return (span) => {
    if (holdsTag(span)) list.push(span);
  };
}

/** Compiles a plain-text content; tracked addresses become slots. */
export function compileText(text: string, options: ContentOptions = {}): Compiled {
  const scan = scanTags(text);
  const context = { scan, decode: (inside: string) => inside };
  // As above: it will be refused.
  if (scan.excessAt !== undefined)
    return compileSource(text, { ...context, escapeAt: () => 'plain', replacements: [] }, options);
  const links = textLinks(text, scan.tags);
  const linkAt = follow(links);
  const escapeAt = ({ start, end }: RawTag): Escape => (linkAt(start, end) ? 'url' : 'plain');
  const replacements = trackedReplacements(links, options, 'plain');
  const compiled = compileSource(text, { ...context, escapeAt, replacements }, options);
  return refuseExcess(compiled, links);
}

/** Links behind the last one that is looked at would stay untracked in silence. */
function refuseExcess(compiled: Compiled, links: readonly ContentLink[]): Compiled {
  const first = links[maxLinks];
  if (!first) return compiled;
  const tag = first.url.slice(0, 80);
  const error = { tag, position: first.start, message: `${tag}: more than ${maxLinks} links` };
  return { ...compiled, errors: [...compiled.errors, error] };
}

// HTML editors write a quote inside a tag as &quot;, a blank as &nbsp;
export const decodeInside = (inside: string): string =>
  inside.includes('&') ? decodeHTML(inside).replaceAll('\u00a0', ' ') : inside;

function trackedReplacements(
  links: readonly ContentLink[],
  { linkOf }: ContentOptions,
  escapeName: Escape,
): Replacement[] {
  const replacements: Replacement[] = [];
  if (!linkOf) return replacements;
  for (const { url, start, end, isTrackable } of links) {
    const idLink = isTrackable ? linkOf(url, start) : undefined;
    if (idLink !== undefined)
      replacements.push({
        start,
        end,
        nodes: [{ kind: 'slot', escape: escapeName, slot: { kind: 'link', link: 'click', idLink } }],
      });
  }
  return replacements;
}

// A link in a comment is no link: it must not count as a way out that every reader has. Other tags in comments stay,
// for some authors hide conditions from their editors there.
function hiddenLinks(tags: readonly RawTag[], { comments }: Around): Replacement[] {
  const commentAt = follow(comments);
  return tags
    .filter(({ start, end, inside }) => commentAt(start, end) && parseTag(inside)?.kind === 'link')
    .map(({ start, end }) => ({ start, end, nodes: [] }));
}

function placePixel(replacements: Replacement[], at: number): void {
  const nodes: TagNode[] = [
    { kind: 'literal', text: '<img src="' },
    { kind: 'slot', escape: 'html', slot: { kind: 'link', link: 'open' } },
    { kind: 'literal', text: '" width="1" height="1" alt="" style="display:block;border:0">' },
  ];
  const index = replacements.findIndex(({ start }) => start >= at);
  replacements.splice(index < 0 ? replacements.length : index, 0, { start: at, end: at, nodes });
}

/** Attributes whose value is an address. */
const addressAttributes = new Set(['href', 'src', 'background', 'action', 'formaction', 'poster', 'cite']);

/** To be asked in the order in which the tags stand. */
function escapesByPosition(source: string, { attributes, openingTags }: Around): (tag: RawTag) => Escape {
  const valueAt = follow(attributes);
  const openingAt = follow(openingTags);
  // Reckoned once for each address: one may have thousands of tags behind a megabyte of blanks.
  let address: AttributeValue | undefined;
  let beginning = 0;
  return ({ start, end }) => {
    const value = valueAt(start, end);
    if (!value) return openingAt(start, end) ? 'bare' : 'html';
    if (!addressAttributes.has(value.name)) return value.isQuoted ? 'html' : 'bare';
    if (value !== address) beginning = value.start + source.slice(value.start, value.end).search(/\S/);
    address = value;
    return start === beginning ? 'htmlAddress' : 'url';
  };
}
