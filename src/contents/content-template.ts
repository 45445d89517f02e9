import { decodeHTML } from 'entities';
import { type ContentLink, linkCollector, maxLinks, textLinks, type UntrackedAddress } from './html-links.ts';
import type { HtmlFault } from './html-parser.ts';
import { type AttributeValue, scanHtml } from './html-scanner.ts';
import { follow, holding, partsWithin, type Span } from './spans.ts';
import { strayTags } from './stray-tags.ts';
import type { TagError, TagFault } from './tag.ts';
import {
  firstTags,
  schemeEscapes,
  type TagBehindScheme,
  tagsBehindSchemes,
  withoutSchemes,
} from './tag-address.ts';
import { type Compiled, type CompileOptions, compileSource, type Replacement } from './tag-compiler.ts';
import type { Escape } from './tag-escape.ts';
import { parseTag } from './tag-parser.ts';
import { maskTags, type RawTag, scanTags } from './tag-scanner.ts';
import type { TagNode } from './tag-tree.ts';

export interface ContentOptions extends CompileOptions {
  /** The id of the tracked link at an address's start; undefined leaves the address. Called in their order. */
  readonly linkOf?: (url: string, start: number) => number | undefined;
  /** Whether the open pixel is put at the end of the body (HTML only). */
  readonly hasPixel?: boolean;
}

/** Compiles an HTML content: escapes tags by position, makes slots of tracked addresses and pixel, keeps the rest. */
export function compileHtml(html: string, options: ContentOptions = {}): Compiled {
  const tagScan = scanTags(html);
  const { tags, excessAt } = tagScan;
  const context = { isHtml: true, scan: tagScan, decode: decodeInside };
  // It is refused for its tags, so their positions do not matter.
  if (excessAt !== undefined)
    return compileSource(html, { ...context, escapeAt: () => 'html', replacements: [] }, options);
  const { links, bodyEnd = html.length, untracked, faults, ...around } = readHtml(html, tags);
  const tracked = trackedReplacements(links, options, 'html');
  const schemes = schemesOf(html, tags, around.attributes, tracked);
  const replacements = [...tracked, ...hiddenLinks(tags, around), ...withoutSchemes(schemes)].sort(
    (a, b) => a.start - b.start,
  );
  if (options.hasPixel) placePixel(replacements, bodyEnd);
  const escapeAt = escapesByPosition(html, tags, around, schemes);
  const compiled = compileSource(html, { ...context, escapeAt, replacements }, options);
  const errors = [
    ...shownStrays(html, tags),
    ...faults.map((fault) => errorAt(html, fault, 'damaged_content')),
  ];
  return refuseExcess(
    withFaults(
      compiled,
      errors,
      untracked.map((one) => errorAt(html, one, 'untracked_link')),
    ),
    links,
  );
}

/** The elements around the tags of an HTML source; elements without tags are omitted. */
interface Around {
  readonly attributes: readonly AttributeValue[];
  readonly openingTags: readonly Span[];
  readonly comments: readonly Span[];
}

function readHtml(html: string, tags: readonly RawTag[]) {
  const masked = maskTags(html, tags);
  const links: ContentLink[] = [];
  const untracked: UntrackedAddress[] = [];
  const lostQuotes: HtmlFault[] = [];
  const collectLink = linkCollector(html, masked, links, untracked);
  const around = { attributes: [] as AttributeValue[], openingTags: [] as Span[], comments: [] as Span[] };
  const collectAttribute = collectorOf(around.attributes, tags);
  const { bodyEnd, faults } = scanHtml(masked, {
    attribute(value) {
      collectLink(value);
      collectAttribute(value);
      if (value.isQuoted && lostQuotes.length < maxFaults && hasLostQuote(masked, value))
        lostQuotes.push({ position: value.start - 1, problem: lostQuote(value.name) });
    },
    openingTag: collectorOf(around.openingTags, tags),
    comment: collectorOf(around.comments, tags),
  });
  return { links, untracked, bodyEnd, faults: [...lostQuotes, ...faults], ...around };
}

const maxFaults = 100;

/** Whether a quoted value runs on to a quote that should open one in the next tag (`<p class="x>Hi <a href="…`). */
const hasLostQuote = (masked: string, { start, end }: AttributeValue): boolean =>
  /<[a-z][^<>]*=\s*$/i.test(masked.slice(Math.max(start, end - 300), end));

const lostQuote = (name: string): string =>
  `the quote of ${name} is not closed, so the following text is lost; close the quote`;

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
  // It is refused, as above.
  if (scan.excessAt !== undefined)
    return compileSource(text, { ...context, escapeAt: () => 'plain', replacements: [] }, options);
  const untracked: UntrackedAddress[] = [];
  const links = textLinks(text, scan.tags, untracked);
  const tracked = trackedReplacements(links, options, 'plain');
  const isTracked = follow(tracked);
  const schemes = tagsBehindSchemes(text, scan.tags).filter(({ tag }) => !isTracked(tag.start, tag.end));
  const escapes = schemeEscapes(schemes, 'plain');
  const linkAt = follow(links);
  const escapeAt = ({ start, end }: RawTag): Escape => {
    const isInLink = linkAt(start, end) !== undefined;
    return escapes.get(start) ?? (isInLink ? 'url' : 'plain');
  };
  const replacements = [...tracked, ...withoutSchemes(schemes)].sort((a, b) => a.start - b.start);
  const compiled = compileSource(text, { ...context, escapeAt, replacements }, options);
  const warnings = untracked.map((one) => errorAt(text, one, 'untracked_link'));
  return refuseExcess(withFaults(compiled, strayTags(text, maskTags(text, scan.tags)), warnings), links);
}

/** Compiles a subject or display name. */
export function compileHeader(source: string, options: CompileOptions): Compiled {
  const scan = scanTags(source);
  const context = { scan, escapeAt: (): Escape => 'header', decode: same, replacements: [] };
  return withFaults(
    compileSource(source, context, options),
    strayTags(source, maskTags(source, scan.tags)),
    [],
  );
}

const same = (inside: string): string => inside;

/** Adds errors that do not concern a tag itself; each position is reported once. */
function withFaults(compiled: Compiled, found: readonly TagError[], warnings: readonly TagError[]): Compiled {
  if (found.length === 0 && warnings.length === 0) return compiled;
  const known = new Set(compiled.errors.map(({ position }) => position));
  const errors = [...compiled.errors, ...found.filter(({ position }) => !known.has(position))];
  return { ...compiled, errors: errors.sort((a, b) => a.position - b.position), warnings };
}

const longestShown = 80;

/** A fault with the source around it, as an error of a tag. */
function errorAt(source: string, { position, problem }: HtmlFault, code: TagFault): TagError {
  const tag = /^[^\r\n]*/.exec(source.slice(position, position + longestShown))?.[0] ?? '';
  return { code, tag, position, message: `${tag}: ${problem}` };
}

/** Stray tags except those in comments, which no reader sees. */
function shownStrays(html: string, tags: readonly RawTag[]): readonly TagError[] {
  const masked = maskTags(html, tags);
  const strays = strayTags(html, masked);
  if (strays.length === 0) return strays;
  const comments: Span[] = [];
  scanHtml(masked, { comment: (inside) => comments.push(inside) });
  const commentAt = follow(comments);
  return strays.filter(({ position }) => commentAt(position, position + 1) === undefined);
}

/** Tags after a scheme with which an address begins, unless a tracked address replaces them. */
function schemesOf(
  html: string,
  tags: readonly RawTag[],
  attributes: readonly AttributeValue[],
  tracked: readonly Replacement[],
): TagBehindScheme[] {
  const valueAt = follow(attributes.filter(({ name }) => addressAttributes.has(name)));
  const isTracked = follow(tracked);
  return tagsBehindSchemes(html, tags).filter(({ scheme, tag }) => {
    const value = valueAt(scheme.start, tag.end);
    const isFirst = value && html.slice(value.start, scheme.start).trim() === '';
    return isFirst && !isTracked(scheme.start, tag.end);
  });
}

/** Refuses a source with too many links: the excess would silently stay untracked. */
function refuseExcess(compiled: Compiled, links: readonly ContentLink[]): Compiled {
  const first = links[maxLinks];
  if (!first) return compiled;
  const tag = first.url.slice(0, 80);
  const message = `${tag}: more than ${maxLinks} links`;
  const error = { code: 'damaged_content', tag, position: first.start, message } as const;
  return { ...compiled, errors: [...compiled.errors, error] };
}

/** A tag's inside without the entities of HTML editors; the text for an empty field keeps its no-break spaces. */
export function decodeInside(inside: string): string {
  if (!inside.includes('&')) return inside;
  const text = decodeHTML(inside);
  const bar = /^\s*IF\s/i.test(text) ? -1 : text.indexOf('|');
  const end = bar < 0 ? text.length : bar;
  return text.slice(0, end).replaceAll('\u00a0', ' ') + text.slice(end);
}

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

// A link in a comment must not count as an unsubscribe link for every reader. Other tags in comments stay, because some
// authors hide conditions from their editors there.
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

const addressAttributes = new Set([
  ...['href', 'xlink:href', 'src', 'background', 'action', 'formaction', 'poster', 'cite'],
]);
/** Attributes whose value is a list of addresses, each with a width or density after a space. */
const addressLists = new Set(['srcset', 'imagesrcset']);

/** Returns the escape of each tag; must be called in the order of the tags. */
function escapesByPosition(
  html: string,
  tags: readonly RawTag[],
  { attributes, openingTags }: Around,
  schemes: readonly TagBehindScheme[],
): (tag: RawTag) => Escape {
  const valueAt = follow(attributes);
  const openingAt = follow(openingTags);
  const behindSchemes = schemeEscapes(schemes, 'html');
  const addresses = attributes.filter(({ name }) => addressAttributes.has(name));
  const isFirst = new Set(
    [...partsWithin(addresses, tags)].flatMap(([address, inside]) =>
      firstTags(html, address, inside, decodeInside),
    ),
  );
  return ({ start, end }) => {
    const value = valueAt(start, end);
    if (!value) return openingAt(start, end) ? 'bare' : 'html';
    if (addressLists.has(value.name)) return isFirstOfList(html, value, start) ? 'htmlAddress' : 'url';
    if (!addressAttributes.has(value.name)) return value.isQuoted ? 'html' : 'bare';
    return behindSchemes.get(start) ?? (isFirst.has(start) ? 'htmlAddress' : 'url');
  };
}

const isFirstOfList = (html: string, list: Span, start: number): boolean =>
  start === list.start || /[\s,]/.test(html[start - 1] ?? '');
