import { decodeInside } from './content-template.ts';
import type { Span } from './spans.ts';
import { parseTag } from './tag-parser.ts';
import { maxTags, scanTags } from './tag-scanner.ts';

/** An advertisement where a segment has it. */
export interface PlacedAdvertisement {
  /** Id of the placing (idAdvertisementInSegment), not of the advertisement. */
  readonly id: number;
  readonly html: string;
}

/** A stretch of an HTML that an advertisement brought; positions count UTF-16 units. */
export interface AdvertisementSpan {
  readonly start: number;
  readonly end: number;
  /** Of the placing. */
  readonly id: number;
}

/** A stretch of an HTML, and where it begins in the source that it was taken from. */
export interface PlacedPiece extends Span {
  /** Of the placing; 0: the content itself. */
  readonly id: number;
  readonly from: number;
}

/** An HTML with its advertisements in place. */
export interface HtmlWithAdvertisements {
  readonly html: string;
  /** In order, never overlapping: an advertisement inside another one interrupts that one's. */
  readonly spans: readonly AdvertisementSpan[];
  /** All of it, in order. */
  readonly pieces: readonly PlacedPiece[];
  /** Ids of the placings that stand in it, each once. */
  readonly placings: readonly number[];
  /** What cannot be placed, in words; such a tag stays, and keeps the message from being sent. */
  readonly problems: readonly string[];
}

/** Advertisements inside of advertisements. */
const maxDepth = 4;
/** Advertisements of one message, counted wherever they stand, so that empty ones in four levels have an end. */
const maxInserted = 1_000;
/** Characters of an HTML with its advertisements. */
const maxLength = 4_000_000;
const maxProblems = 100;

/** Whether a part asks for an advertisement anywhere. */
export function holdsPlaceholder(source: string): boolean {
  return placeholdersOf(source).length > 0;
}

/** The numbers n of the tags [[ENCART.n]], each once, in the order in which they stand. */
export function placeholdersOf(source: string): number[] {
  const numbers = partsOf(source).flatMap((part) => (typeof part === 'string' ? [] : [part.number]));
  return [...new Set(numbers)];
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
  const parts = partsOf(html);
  if (parts.every((part) => typeof part === 'string')) return unplaced(html, []);
  const placer = new Placer(placed);
  const limit = placer.place(parts);
  return limit === undefined ? placer.result() : unplaced(html, [limit]);
}

/** An HTML that holds no advertisement. */
export function unplaced(html: string, problems: readonly string[]): HtmlWithAdvertisements {
  return {
    html,
    spans: [],
    pieces: [{ start: 0, end: html.length, id: 0, from: 0 }],
    placings: [],
    problems,
  };
}

/** A tag [[ENCART.n]] of a source. */
interface Placeholder {
  readonly number: number;
  /** As written. */
  readonly tag: string;
}

type Part = string | Placeholder;

/** A source as the texts between its placeholders, and these. */
function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { start, end, inside } of scanTags(source).tags) {
    const tag = parseTag(decodeInside(inside));
    if (tag?.kind !== 'advertisement') continue;
    parts.push(source.slice(from, start), { number: tag.number, tag: source.slice(start, end) });
    from = end;
  }
  parts.push(source.slice(from));
  return parts;
}

class Placer {
  readonly #placed: ReadonlyMap<number, PlacedAdvertisement>;
  /** Each advertisement is looked through once, however often it stands. */
  readonly #parts = new Map<number, readonly Part[]>();
  readonly #chunks: string[] = [];
  readonly #pieces: PlacedPiece[] = [];
  readonly #placings = new Set<number>();
  readonly #problems = new Set<string>();
  #length = 0;
  #inserted = 0;
  #left = 0;

  constructor(placed: ReadonlyMap<number, PlacedAdvertisement>) {
    this.#placed = placed;
  }

  /** @returns which limit is passed, if any is; `around` are the numbers of the advertisements that it stands in. */
  place(parts: readonly Part[], id = 0, around: readonly number[] = []): string | undefined {
    let from = 0;
    for (const part of parts) {
      const isText = typeof part === 'string';
      const limit = isText ? this.#write(part, id, from) : this.#insert(part, id, from, around);
      if (limit !== undefined) return limit;
      from += isText ? part.length : part.tag.length;
    }
    return undefined;
  }

  result(): HtmlWithAdvertisements {
    return {
      html: this.#chunks.join(''),
      spans: this.#pieces.flatMap(({ start, end, id }) => (id === 0 ? [] : [{ start, end, id }])),
      pieces: this.#pieces,
      placings: [...this.#placings],
      problems: [...this.#problems],
    };
  }

  #write(text: string, id: number, from: number): string | undefined {
    if (text === '') return undefined;
    const start = this.#length;
    this.#length += text.length;
    if (this.#length > maxLength)
      return `the HTML with its advertisements has more than ${maxLength} characters`;
    this.#chunks.push(text);
    this.#pieces.push({ start, end: this.#length, id, from });
    return undefined;
  }

  #insert(
    { number, tag }: Placeholder,
    id: number,
    from: number,
    around: readonly number[],
  ): string | undefined {
    const leave = (problem: string) => this.#leave(tag, id, from, problem);
    const advertisement = this.#placed.get(number);
    if (!advertisement) return leave(`no advertisement at ${tag}`);
    if (around.includes(number)) return leave(`the advertisement at ${tag} stands inside of itself`);
    if (around.length >= maxDepth)
      return leave(`advertisements stand at most ${maxDepth} deep in each other, not ${tag}`);
    if (++this.#inserted > maxInserted) return `more than ${maxInserted} advertisements in one message`;
    this.#placings.add(advertisement.id);
    const parts = this.#parts.get(number) ?? partsOf(advertisement.html);
    this.#parts.set(number, parts);
    return this.place(parts, advertisement.id, [...around, number]);
  }

  #leave(tag: string, id: number, from: number, problem: string): string | undefined {
    if (++this.#left > maxTags) return `more than ${maxTags} places that no advertisement can take`;
    if (this.#problems.size < maxProblems) this.#problems.add(problem);
    return this.#write(tag, id, from);
  }
}
