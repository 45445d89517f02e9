import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { parseHtml, valueSpan } from './html-parser.ts';
import { type Shown, shownInside } from './shown.ts';
import type { Span } from './spans.ts';

/** Elements that show something on their own, at any font size. */
const pictures: ReadonlySet<string> = new Set(['img', 'svg', 'input', 'hr', 'button']);

/** Characters without a width: zero-width ones, the soft hyphen, the braille space. */
const invisible =
  /(?:[\s\u00ad\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2800\u3164\ufeff]|\u034f)+/g;

/**
 * The addresses of the links that a reader can click, as positions in the source and in their order: the `href` of `a`
 * elements around something that a browser shows, and of the areas of a map that a shown picture uses. Links that
 * inline styles and attributes hide do not count; style sheets are not read.
 * @param masked an HTML whose tags of the tag language are masked.
 */
export function clickableLinks(masked: string): Span[] {
  const walker = new LinkWalker(masked);
  walker.walk(parseHtml(masked).document);
  return walker.links();
}

/** A link whose content is being visited. */
interface OpenLink {
  readonly address: Span;
  isSeen: boolean;
}

class LinkWalker {
  readonly #source: string;
  /** Keyed by start: a browser repeats a link that is not closed. */
  readonly #links = new Map<number, Span>();
  readonly #areas: { readonly map: string; readonly address: Span }[] = [];
  readonly #usedMaps = new Set<string>();

  constructor(source: string) {
    this.#source = source;
  }

  links(): Span[] {
    for (const { map, address } of this.#areas) if (this.#usedMaps.has(map)) this.#add(address);
    return [...this.#links.values()].sort((a, b) => a.start - b.start);
  }

  walk(
    { childNodes }: { readonly childNodes: readonly Tree.ChildNode[] },
    shown: Shown = { isVisible: true, hasFont: true },
    link?: OpenLink,
    map = '',
  ): void {
    for (const node of childNodes) {
      if ('tagName' in node) this.#element(node, shown, link, map);
      else if (link && node.nodeName === '#text' && shown.isVisible && shown.hasFont)
        link.isSeen ||= (node as Tree.TextNode).value.replace(invisible, '') !== '';
    }
  }

  #element(element: Tree.Element, around: Shown, link: OpenLink | undefined, map: string): void {
    const shown = shownInside(element, around);
    if (!shown) return;
    const { tagName } = element;
    if (link && shown.isVisible && pictures.has(tagName)) link.isSeen = true;
    if (tagName === 'img' && shown.isVisible)
      this.#usedMaps.add(attribute(element, 'usemap').replace('#', ''));
    if (tagName === 'area') {
      const address = this.#addressOf(element);
      if (address && map !== '') this.#areas.push({ map, address });
    }
    const inMap = tagName === 'map' ? attribute(element, 'name') : map;
    const address = tagName === 'a' ? this.#addressOf(element) : undefined;
    const inside = address ? { address, isSeen: false } : link;
    this.walk(element, shown, inside, inMap);
    if (address && inside?.isSeen) this.#add(address);
  }

  #addressOf({ sourceCodeLocation }: Tree.Element): Span | undefined {
    const { attrs } = sourceCodeLocation ?? {};
    const name = attrs?.href ? 'href' : 'xlink:href';
    const at = attrs?.[name];
    return at && valueSpan(this.#source, name, at);
  }

  #add(address: Span): void {
    this.#links.set(address.start, address);
  }
}

const attribute = ({ attrs }: Tree.Element, name: string): string =>
  attrs.find((one) => one.name === name)?.value ?? '';
