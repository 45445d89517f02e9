import { decodeHTMLAttribute } from 'entities';
import { type AttributeValue, scanHtml } from '../contents/html-scanner.ts';
import { maskTags, scanTags } from '../contents/tag-scanner.ts';
import { cssUrls } from './css-urls.ts';

/** Where an HTML source names a picture on the web. Positions count UTF-16 units; quotes are outside. */
export interface PicturePlace {
  /** As it stands there, entities decoded, blanks around it gone; tags kept. */
  readonly url: string;
  readonly start: number;
  readonly end: number;
  /** Its tags make another address of it for each reader. */
  readonly hasTags: boolean;
}

/** More than any content needs. */
const maxPlaces = 10_000;
/** Longer addresses are left alone. */
const maxUrl = 4000;

interface Part {
  /** The source between two positions, with its tags masked by letters, decoded. */
  readonly text: string;
  /** The position in the source of each unit of the text, and of its end. */
  readonly at: (index: number) => number;
}

/**
 * The addresses on the web of the pictures of an HTML content, in order: src, srcset, background and poster attributes,
 * those of Outlook's VML, and `url()` in styles. Other addresses (`data:`, `cid:`, relative ones) are left out. A
 * content with more than `maxPlaces` gives these first ones.
 */
export function htmlPictures(html: string): PicturePlace[] {
  const { tags } = scanTags(html);
  const masked = maskTags(html, tags);
  const scan = scanHtml(masked);
  const places: PicturePlace[] = [];
  const add = (part: Part, start: number, end: number) => {
    const from = part.at(start);
    const to = part.at(end);
    // What is not masked is the same in both; a tag that is cut in the middle is none.
    const hasTags = html.slice(from, to) !== masked.slice(from, to);
    const url = hasTags ? html.slice(from, to) : part.text.slice(start, end);
    const isMeant = isOfTheWeb(part.text.slice(start, end)) || (hasTags && url.startsWith('[['));
    if (isMeant && url.length <= maxUrl) places.push({ url, start: from, end: to, hasTags });
    return places.length < maxPlaces;
  };
  for (const attribute of scan.attributes) {
    if (places.length >= maxPlaces) break;
    const kind = kindOf(attribute);
    if (kind === undefined) continue;
    const part = decoded(masked, attribute.start, attribute.end);
    for (const [start, end] of finders[kind](part.text)) if (!add(part, start, end)) break;
  }
  for (const style of scan.styles) {
    if (places.length >= maxPlaces) break;
    const part = { text: masked.slice(style.start, style.end), at: (index: number) => style.start + index };
    for (const [start, end] of cssUrls(part.text)) if (!add(part, start, end)) break;
  }
  return places.sort((a, b) => a.start - b.start);
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

/**
 * A piece of an attribute with its entities decoded. Those without `;` stay as they are, as browsers leave most of them
 * in addresses.
 */
function decoded(masked: string, start: number, end: number): Part {
  const value = masked.slice(start, end);
  if (!value.includes('&')) return { text: value, at: (index) => start + index };
  let text = '';
  // Where the text and the source part: index in the text, position in the source.
  const steps: { index: number; position: number }[] = [{ index: 0, position: start }];
  let from = 0;
  for (const match of value.matchAll(/&#?[a-z0-9]{1,32};/gi)) {
    const meant = decodeHTMLAttribute(match[0]);
    text += value.slice(from, match.index) + meant;
    from = match.index + match[0].length;
    steps.push({ index: text.length, position: start + from });
  }
  text += value.slice(from);
  return { text, at: (index) => positionOf(steps, index) };
}

function positionOf(steps: readonly { index: number; position: number }[], index: number): number {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (steps[middle]!.index <= index) low = middle;
    else high = middle - 1;
  }
  const { index: known, position } = steps[low]!;
  return position + (index - known);
}
