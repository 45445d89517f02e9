import { decodeHTMLAttribute } from 'entities';
import { isParsableUrl } from '../platform/parsable-url.ts';
import { type AttributeValue, scanHtml } from './html-scanner.ts';
import type { Span } from './spans.ts';
import { addressKind } from './tag-address.ts';
import { maskTags, type RawTag, scanTags } from './tag-scanner.ts';

/** An address in a content that a reader can follow. */
export interface ContentLink extends Span {
  /** The address as its author means it: entities decoded, without surrounding spaces and line breaks, with tags. */
  readonly url: string;
  /** Whether clicks can be counted: http and https addresses that a browser can read, including those made by tags. */
  readonly isTrackable: boolean;
}

/** An address that its author may expect to be tracked, and why it is not. */
export interface UntrackedAddress {
  readonly position: number;
  readonly problem: string;
}

/** Maximum length of a tracked address; the checklist names longer ones. */
export const maxUrl = 4000;

/** Limit before spaces are removed: they do not count, but a hostile megabyte of them is not read. */
const longestRead = 10 * maxUrl;

/** Maximum number of links, more than any content needs; it keeps a hostile megabyte of addresses under 50 ms. */
export const maxLinks = 10_000;

/**
 * The links of an HTML content in order: `href` of a, area, and of the VML shapes that Outlook draws buttons with.
 * Anchors, scripts and addresses of the service (`[[LINK.UNSUB]]`) are omitted. A content with more than `maxLinks`
 * returns one more than that: it cannot be compiled.
 */
export function htmlLinks(html: string): ContentLink[] {
  const masked = maskTags(html, scanTags(html).tags);
  const links: ContentLink[] = [];
  scanHtml(masked, { attribute: linkCollector(html, masked, links) });
  return links;
}

/** Returns a visitor that adds links as `htmlLinks` does; `untracked` receives the addresses that are not tracked. */
export function linkCollector(
  html: string,
  masked: string,
  links: ContentLink[],
  untracked: UntrackedAddress[] = [],
): (attribute: AttributeValue) => void {
  return ({ element, name, start, end }) => {
    if (!isLinkAddress(element, name) || links.length > maxLinks) return;
    const written = html.slice(start, end);
    const plain = masked.slice(start, end);
    const raw = decodedStart(written);
    const link = readLink(raw, plain === written ? raw : decode(plain), { start, end }, untracked);
    if (link) links.push(link);
  };
}

/** Whether an attribute is the address of a link; SVG's links may have it in a namespace. */
function isLinkAddress(element: string, name: string): boolean {
  if (name === 'href') return element === 'a' || element === 'area' || element.startsWith('v:');
  return name === 'xlink:href' && element === 'a';
}

/** An address of an HTML source as its author means it; '' for one that is too long to be tracked. */
export function decodedAddress(written: string): string {
  const url = withoutBlanks(decodedStart(written));
  return url.length > maxUrl ? '' : url;
}

const decode = (value: string) => (value.includes('&') ? decodeHTMLAttribute(value) : value);

/** A decoded value, cut after `longestRead` or more, so that a megabyte of entities is not decoded. */
function decodedStart(value: string): string {
  let text = '';
  for (let from = 0; from < value.length && text.length <= longestRead; ) {
    // No entity contains another `&`, and none depends on one that follows.
    const next = value.indexOf('&', from + longestRead);
    const to = next < 0 ? value.length : next;
    text += decode(value.slice(from, to));
    from = to;
  }
  return text;
}

const textUrl = /https?:\/\/[^\s<>"«»\x00-\x1f]+/gi;

/** The web addresses of a plain-text content, without the punctuation of the sentence around them; see `htmlLinks`. */
export function textLinks(
  text: string,
  tags: readonly RawTag[] = scanTags(text).tags,
  untracked: UntrackedAddress[] = [],
): ContentLink[] {
  const links: ContentLink[] = [];
  const masked = maskTags(text, tags);
  for (const match of masked.matchAll(textUrl)) {
    const start = match.index;
    const end = start + lengthWithoutPunctuation(match[0]);
    const link = readLink(text.slice(start, end), masked.slice(start, end), { start, end }, untracked);
    if (link && links.push(link) > maxLinks) break;
  }
  return links;
}

function lengthWithoutPunctuation(url: string): number {
  let length = url.length;
  // Counted on demand: most addresses do not end with a bracket.
  let closing: number | undefined;
  for (; length > 0; length--) {
    const last = url[length - 1]!;
    // A bracket that was opened within the address belongs to it.
    if (last === ')') {
      closing ??= openBrackets(url, length);
      if (closing >= 0) break;
      closing++;
    } else if (!".,;:!?'’]}>*".includes(last)) break;
  }
  return length;
}

/** The number of `(` less that of `)` among the first characters. */
function openBrackets(url: string, length: number): number {
  let open = 0;
  for (let i = 0; i < length; i++) {
    const code = url.charCodeAt(i);
    if (code === 0x28) open++;
    else if (code === 0x29) open--;
  }
  return open;
}

function readLink(
  raw: string,
  masked: string,
  at: Span,
  untracked: UntrackedAddress[],
): ContentLink | undefined {
  const leave = (problem: string) => {
    if (untracked.length < maxUntracked) untracked.push({ position: at.start, problem });
  };
  if (raw.length > longestRead) return void leave(tooLong);
  // Browsers ignore spaces around an href and line breaks inside it (URL standard).
  const plain = withoutBlanks(masked);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain)?.[1]?.toLowerCase() ?? '';
  const url = raw === masked ? plain : withoutBlanks(raw);
  // Tags are masked by letters: an address that begins with a tag has no scheme.
  const kind = url.startsWith('[[') || isSchemeAndTag.test(url) ? addressKind(url) : undefined;
  if (kind === 'service' || (kind === undefined && !linkSchemes.has(scheme))) return undefined;
  if (url.length > maxUrl) return void leave(tooLong);
  if (kind === undefined)
    return { url, ...at, isTrackable: scheme.startsWith('http') && isWebAddress(plain) };
  if (kind === 'other') leave('is not tracked: its tags do not always make an http or https address');
  return { url, ...at, isTrackable: kind === 'web' };
}

const tooLong = `is not tracked: it has more than ${maxUrl} characters`;
const maxUntracked = 100;
const isSchemeAndTag = /^https?:\/\/\[\[/i;

const linkSchemes = new Set(['http', 'https', 'mailto', 'tel']);

// By hand: a pattern for trailing spaces takes 160 s for 200,000 spaces in the middle.
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end).replace(/[\t\n\r]/g, '');
}

/** Whether a redirect may lead to an address: absolute http or https without control characters. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^/?#\\]/i.test(url) && !/[\x00-\x1f\x7f]/.test(url) && isParsableUrl(url);
}
