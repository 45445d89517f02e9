import { decodeHTML } from 'entities';
import { type ContentLink, linksOfScan, maxLinks, textLinks } from './html-links.ts';
import { type HtmlScan, scanHtml } from './html-scanner.ts';
import { follow } from './spans.ts';
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
  const masked = maskTags(html, tags);
  const scan = scanHtml(masked);
  const links = linksOfScan(html, masked, scan);
  const replacements = [...trackedReplacements(links, options, 'html'), ...hiddenLinks(tags, scan)].sort(
    (a, b) => a.start - b.start,
  );
  if (options.hasPixel) placePixel(replacements, scan.bodyEnd ?? html.length);
  const escapeAt = escapesByPosition(html, tags, scan);
  const compiled = compileSource(html, { ...context, escapeAt, replacements }, options);
  return refuseExcess(compiled, links);
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
function hiddenLinks(tags: readonly RawTag[], { comments }: HtmlScan): Replacement[] {
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

function escapesByPosition(source: string, tags: readonly RawTag[], scan: HtmlScan): (tag: RawTag) => Escape {
  const valueAt = follow(scan.attributes);
  const openingAt = follow(scan.openingTags);
  const escapes = new Map<number, Escape>();
  for (const { start, end } of tags) {
    const value = valueAt(start, end);
    const isInTag = openingAt(start, end) !== undefined;
    if (!value) escapes.set(start, isInTag ? 'bare' : 'html');
    else if (!addressAttributes.has(value.name)) escapes.set(start, value.isQuoted ? 'html' : 'bare');
    else escapes.set(start, source.slice(value.start, start).trim() === '' ? 'htmlAddress' : 'url');
  }
  return (tag) => escapes.get(tag.start) ?? 'html';
}
