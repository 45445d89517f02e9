import { DecodingMode, decodeHTMLStrict, HtmlEntityDecoder } from 'entities';
import { type AttributeValue, scanHtml } from '../contents/html-scanner.ts';
import type { Span } from '../contents/spans.ts';
import { maskTags, scanTags } from '../contents/tag-scanner.ts';
import { cssUrls, type Found } from './css-urls.ts';

/** The position of a web picture's address in an HTML source, without quotes. */
export interface PicturePlace extends Span {
  /** The address with entities decoded, without surrounding spaces, with tags. */
  readonly url: string;
  /** Whether tags make a different address for each reader. */
  readonly hasTags: boolean;
}

/** Maximum number of addresses, more than any content needs. */
const maxPlaces = 10_000;
/** Maximum length of an address in characters; longer ones stay unchanged. */
const maxUrl = 4000;

/**
 * The web addresses of the pictures of an HTML content, in order: src, srcset, background and poster attributes, those
 * of Outlook's VML, and `url()` in styles. Other addresses (`data:`, `cid:`, relative ones) are omitted. Returns at
 * most the first `maxPlaces`.
 */
export function htmlPictures(html: string): PicturePlace[] {
  const masked = maskTags(html, scanTags(html).tags);
  const places: PicturePlace[] = [];
  const collect = (part: Part, find: Finder) => {
    if (places.length >= maxPlaces) return;
    find(part.text, (start, end) => {
      const place = placeOf(html, masked, part, start, end);
      if (place) places.push(place);
      return places.length < maxPlaces;
    });
  };
  const styles: Span[] = [];
  scanHtml(masked, {
    attribute(value) {
      const kind = kindOf(value);
      if (kind !== undefined) collect(attributePart(masked, value), finders[kind]);
    },
    style: (inside) => styles.push(inside),
  });
  for (const { start, end } of styles) collect({ text: masked.slice(start, end), start }, cssUrls);
  return places.sort((a, b) => a.start - b.start);
}

function placeOf(
  html: string,
  masked: string,
  part: Part,
  start: number,
  end: number,
): PicturePlace | undefined {
  // Most addresses of a hostile megabyte end here: neither web addresses nor tags (masked by x; [ may be before it).
  const isWeb = isOfTheWeb(part.text, start, end);
  if (!isWeb && !'x['.includes(part.text.charAt(start))) return undefined;
  const from = positionOf(part, start);
  if (!isWeb && !html.startsWith('[[', from)) return undefined;
  const to = positionOf(part, end);
  const written = html.slice(from, to);
  // Unmasked text is equal in both; a tag that is cut is ignored.
  const hasTags = written !== masked.slice(from, to);
  if (!isWeb && !hasTags) return undefined;
  const url = hasTags ? written : part.text.slice(start, end);
  return url.length <= maxUrl ? { url, start: from, end: to, hasTags } : undefined;
}

/** Replaces addresses in an HTML source; everything else stays. @param newUrls by the current address */
export function replacePictures(
  html: string,
  places: readonly PicturePlace[],
  newUrls: ReadonlyMap<string, string>,
): string {
  let text = '';
  let from = 0;
  for (const { url, start, end } of places) {
    const newUrl = newUrls.get(url);
    if (newUrl === undefined) continue;
    text += html.slice(from, start) + newUrl;
    from = end;
  }
  return text + html.slice(from);
}

/** Reports the start and end of each address in a text, in order. */
type Finder = (text: string, found: Found) => void;

const finders: Readonly<Record<'url' | 'srcset' | 'style', Finder>> = {
  url: (text, found) => void found(...trimmed(text)),
  srcset: srcsetUrls,
  style: cssUrls,
};

const sources: Readonly<Record<string, readonly string[]>> = {
  src: ['img', 'image', 'input', 'v:fill', 'v:imagedata', 'v:image'],
  poster: ['video'],
};

function kindOf({ element, name }: AttributeValue): keyof typeof finders | undefined {
  if (name === 'style') return 'style';
  if (name === 'background') return 'url';
  if (name === 'srcset') return element === 'img' || element === 'source' ? 'srcset' : undefined;
  return Object.hasOwn(sources, name) && sources[name]!.includes(element) ? 'url' : undefined;
}

const webSchemes = ['', 'http:', 'https:'];

/** Whether the text between two positions begins like a web address. No slice, no pattern: half the time. */
function isOfTheWeb(text: string, start: number, end: number): boolean {
  for (const scheme of webSchemes) {
    const slashes = start + scheme.length;
    if (text.startsWith('//', slashes) && text.slice(start, slashes).toLowerCase() === scheme)
      return slashes + 2 < end && text[slashes + 2] !== '/';
  }
  return false;
}

function trimmed(text: string): readonly [number, number] {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return [start, end];
}

/** Finds the addresses of a srcset by the HTML standard: up to a space, or to commas that end the word. */
function srcsetUrls(text: string, found: Found): void {
  const word = /[^\s,]\S*/g;
  for (let match = word.exec(text); match; match = word.exec(text)) {
    let end = word.lastIndex;
    while (text[end - 1] === ',') end--;
    if (!found(match.index, end)) return;
    // Without a comma directly after it, a width or density follows, up to the next comma.
    if (end < word.lastIndex) continue;
    const comma = text.indexOf(',', end);
    if (comma < 0) return;
    word.lastIndex = comma + 1;
  }
}

/** A part of a source with its tags masked by letters. */
interface Part {
  /** The text with entities decoded. */
  readonly text: string;
  readonly start: number;
  /** The units by which decoding has shortened the text before a position, in order. Undefined: none. */
  readonly shiftAt?: (index: number) => number;
}

/** The value of an attribute. Entities without `;` stay, as browsers leave most of them in addresses. */
function attributePart(masked: string, { start, end }: Span): Part {
  const value = masked.slice(start, end);
  if (!value.includes('&')) return { text: value, start };
  return { text: decodeHTMLStrict(value), start, shiftAt: shiftsOf(value) };
}

/** Counts entities up to the requested position only: a hostile megabyte has 250,000. */
function shiftsOf(value: string): (index: number) => number {
  let units = 0;
  const decoder = new HtmlEntityDecoder((codePoint) => {
    units += codePoint > 0xffff ? 2 : 1;
  });
  let entity = value.indexOf('&');
  let shift = 0;
  return (index) => {
    while (entity >= 0 && entity - shift < index) {
      units = 0;
      decoder.startEntity(DecodingMode.Strict);
      const length = decoder.write(value, entity + 1);
      if (length > 0) shift += length - units;
      entity = value.indexOf('&', entity + Math.max(length, 1));
    }
    return shift;
  };
}

const positionOf = ({ start, shiftAt }: Part, index: number): number =>
  start + index + (shiftAt?.(index) ?? 0);
