import { decodeInside } from './content-template.ts';
import {
  type Piece,
  type PlacedText,
  Placer,
  placeholdersIn,
  type Unreplaced,
  unplacedText,
} from './placer.ts';
import type { Span } from './spans.ts';
import type { ParsedTag } from './tag-parser.ts';

export interface PlacedAdvertisement {
  /** Id of the placement (idAdvertisementInSegment), not of the advertisement. */
  readonly id: number;
  readonly html: string;
}

/** A span of an HTML source that comes from an advertisement; positions count UTF-16 units. */
export interface AdvertisementSpan extends Span {
  /** The id of the placement. */
  readonly id: number;
}

export interface HtmlWithAdvertisements {
  readonly html: string;
  /** In order, without overlap: a nested advertisement interrupts the span of the outer one. */
  readonly spans: readonly AdvertisementSpan[];
  /** The whole HTML in order; the id is that of the placement, 0 for the content itself. */
  readonly pieces: readonly Piece<number>[];
  /** The distinct ids of its placements. */
  readonly placements: readonly number[];
  readonly problems: readonly Unreplaced[];
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

/** The distinct numbers n of the tags [[ENCART.n]], in order. */
export function placeholdersOf(source: string): number[] {
  return [...new Set(placeholdersIn(source, ofAdvertisements).map(({ key }) => key))];
}

/** Replaces the tags [[ENCART.n]] by advertisements (`placed` by n), nested ones too; their tags are compiled later. */
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

/** An HTML source without advertisements. */
export function unplaced(html: string, problems: readonly Unreplaced[]): HtmlWithAdvertisements {
  return asHtml(unplacedText(html, own, problems));
}

function asHtml({ text, pieces, placed, problems }: PlacedText<number>): HtmlWithAdvertisements {
  const spans = pieces.flatMap(({ start, end, id }) => (id === own ? [] : [{ start, end, id }]));
  return { html: text, pieces, placements: placed, spans, problems };
}
