import { decodeHTMLAttribute } from 'entities';
import { type AttributeValue, scanHtml } from '../contents/html-scanner.ts';
import type { Span } from '../contents/spans.ts';
import { maskTags, scanTags } from '../contents/tag-scanner.ts';
import { cssUrls } from './css-urls.ts';

/** Where an HTML source names a picture on the web; quotes are outside. */
export interface PicturePlace extends Span {
  /** As it stands there, entities decoded, blanks around it gone; tags kept. */
  readonly url: string;
  /** Its tags make another address of it for each reader. */
  readonly hasTags: boolean;
}

/** More than any content needs. */
const maxPlaces = 10_000;
/** Longer addresses are left alone. */
const maxUrl = 4000;

/**
 * The addresses on the web of the pictures of an HTML content, in order: src, srcset, background and poster attributes,
 * those of Outlook's VML, and `url()` in styles. Other addresses (`data:`, `cid:`, relative ones) are left out. A
 * content with more than `maxPlaces` gives these first ones.
 */
export function htmlPictures(html: string): PicturePlace[] {
  const masked = maskTags(html, scanTags(html).tags);
  const places: PicturePlace[] = [];
  const collect = (part: Part, find: Finder) => {
    if (places.length >= maxPlaces) return;
    for (const [start, end] of find(part.text)) {
      const place = placeOf(html, masked, part, start, end);
      if (place && places.push(place) >= maxPlaces) return;
    }
  };
  const styles: Span[] = [];
  scanHtml(masked, {
    attribute(value) {
      const kind = kindOf(value);
      if (kind !== undefined) collect(decoded(masked, value), finders[kind]);
    },
    style: (inside) => styles.push(inside),
  });
  for (const { start, end } of styles)
    collect({ text: masked.slice(start, end), start, entities: [] }, cssUrls);
  return places.sort((a, b) => a.start - b.start);
}

/** The place of an address that stands between two positions of a part; undefined for one that is not of the web. */
function placeOf(
  html: string,
  masked: string,
  part: Part,
  start: number,
  end: number,
): PicturePlace | undefined {
  const from = positionOf(part, start);
  // Most addresses of a hostile megabyte end here: neither of the web nor a tag.
  const text = part.text.slice(start, end);
  const isWeb = isOfTheWeb(text);
  if (!isWeb && !html.startsWith('[[', from)) return undefined;
  const to = positionOf(part, end);
  const written = html.slice(from, to);
  // What is not masked is the same in both; a tag that is cut in the middle is none.
  const hasTags = written !== masked.slice(from, to);
  if (!isWeb && !hasTags) return undefined;
  const url = hasTags ? written : text;
  return url.length <= maxUrl ? { url, start: from, end: to, hasTags } : undefined;
}

/** The HTML with other addresses in some places; all else stays. @param newUrls by the address that stands there */
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

/** Where in a text addresses stand: from, and up to. */
type Finder = (text: string) => Iterable<readonly [number, number]>;

const finders: Readonly<Record<'url' | 'srcset' | 'style', Finder>> = {
  url: (text) => [trimmed(text)],
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

const isOfTheWeb = (url: string): boolean => /^(https?:)?\/\/[^/]/i.test(url);

function trimmed(text: string): readonly [number, number] {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return [start, end];
}

/** The addresses of a srcset, as the HTML standard reads it: up to a blank, or to commas that end the word. */
function* srcsetUrls(text: string): Generator<readonly [number, number]> {
  const word = /[^\s,]\S*/g;
  for (let match = word.exec(text); match; match = word.exec(text)) {
    let end = word.lastIndex;
    while (text[end - 1] === ',') end--;
    yield [match.index, end];
    // Without a comma right behind, a width or density follows, up to the next comma.
    if (end < word.lastIndex) continue;
    const comma = text.indexOf(',', end);
    if (comma < 0) return;
    word.lastIndex = comma + 1;
  }
}

/** A piece of a source whose tags are masked by letters. */
interface Part {
  /** Its entities are decoded. */
  readonly text: string;
  /** Where it begins in the source. */
  readonly start: number;
  /** Those that were decoded, in order. */
  readonly entities: readonly Entity[];
}

interface Entity {
  /** Behind what it means, in the text. */
  readonly index: number;
  /** How many units shorter than the source the text is up to there. */
  readonly shift: number;
}

/**
 * The value of an attribute with its entities decoded. Those without `;` stay as they are, as browsers leave most of
 * them in addresses.
 */
function decoded(masked: string, { start, end }: Span): Part {
  const value = masked.slice(start, end);
  const entities: Entity[] = [];
  if (!value.includes('&')) return { text: value, start, entities };
  let shift = 0;
  const text = value.replace(/&#?[a-z0-9]{1,32};/gi, (written, index: number) => {
    const meant = decodeHTMLAttribute(written);
    const behind = index - shift + meant.length;
    shift += written.length - meant.length;
    entities.push({ index: behind, shift });
    return meant;
  });
  return { text, start, entities };
}

/** The position in the source of a unit of a part's text, or of its end. */
function positionOf({ start, entities }: Part, index: number): number {
  let low = 0;
  let high = entities.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entities[middle]!.index <= index) low = middle + 1;
    else high = middle;
  }
  return start + index + (entities[low - 1]?.shift ?? 0);
}
