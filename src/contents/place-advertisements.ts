import { decodeInside } from './content-template.ts';
import { type Piece, type PlacedText, Placer, placeholdersIn, unplacedText } from './placer.ts';
import type { Span } from './spans.ts';
import type { ParsedTag } from './tag-parser.ts';

/** An advertisement where a segment has it. */
export interface PlacedAdvertisement {
  /** Id of the placement (idAdvertisementInSegment), not of the advertisement. */
  readonly id: number;
  readonly html: string;
}

/** A stretch of an HTML that an advertisement brought; positions count UTF-16 units. */
export interface AdvertisementSpan extends Span {
  /** Of the placement. */
  readonly id: number;
}

/** An HTML with its advertisements in place. */
export interface HtmlWithAdvertisements {
  readonly html: string;
  /** In order, never overlapping: an advertisement inside another one interrupts that one's. */
  readonly spans: readonly AdvertisementSpan[];
  /** All of it, in order; the id is that of the placement, 0 for the content itself. */
  readonly pieces: readonly Piece<number>[];
  /** Ids of the placements that are in it, each once. */
  readonly placements: readonly number[];
  /** Tags that cannot be placed, in words. Such a tag stays, and prevents sending. */
  readonly problems: readonly string[];
}

const own = 0;
const ofAdvertisements = {
  decode: decodeInside,
  keyOf: (tag: ParsedTag) => (tag.kind === 'advertisement' ? tag.number : undefined),
};

/** Whether a part requests an advertisement anywhere. */
export function holdsPlaceholder(source: string): boolean {
  return placeholdersOf(source).length > 0;
}

/** The numbers n of the tags [[ENCART.n]], each once, in the order in which they stand. */
export function placeholdersOf(source: string): number[] {
  return [...new Set(placeholdersIn(source, ofAdvertisements).map(({ key }) => key))];
}

/**
 * Puts advertisements where their tags [[ENCART.n]] stand, also into each other. What they bring is part of the
 * source from then on: it is compiled once with it, and its other tags are filled like any.
 * @param placed by n
 */
export function placeAdvertisements(
  html: string,
  placed: ReadonlyMap<number, PlacedAdvertisement>,
): HtmlWithAdvertisements {
  const placer = new Placer<number, number>({
    ...ofAdvertisements,
    own,
    find(number) {
      const found = placed.get(number);
      return found && { id: found.id, text: found.html };
    },
    words: {
      missing: (tag) => `no advertisement at ${tag}`,
      one: (tag) => `the advertisement at ${tag}`,
      many: 'advertisements',
      whole: 'the HTML with its advertisements',
    },
  });
  return asHtml(placer.place(html));
}

/** An HTML that holds no advertisement. */
export function unplaced(html: string, problems: readonly string[]): HtmlWithAdvertisements {
  return asHtml(unplacedText(html, own, problems));
}

function asHtml({ text, pieces, placed, problems }: PlacedText<number>): HtmlWithAdvertisements {
  const spans = pieces.flatMap(({ start, end, id }) => (id === own ? [] : [{ start, end, id }]));
  return { html: text, pieces, placements: placed, spans, problems };
}
