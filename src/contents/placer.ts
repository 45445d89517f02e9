import type { Span } from './spans.ts';
import { type ParsedTag, parseTag } from './tag-parser.ts';
import { maxTags, scanTags } from './tag-scanner.ts';

/** A span of a text, and its start in the source that it comes from. */
export interface Piece<Id> extends Span {
  /** The id of the replacement; the placer's `own` for the source itself. */
  readonly id: Id;
  readonly from: number;
}

export interface PlacerRules<Id, Key> {
  /** The id of the source itself. */
  readonly own: Id;
  /** Returns the key that a tag requests; undefined for other tags. */
  keyOf(tag: ParsedTag): Key | undefined;
  /** Turns the inside of a tag as written into the inside as meant. */
  decode(inside: string): string;
  find(key: Key): { readonly id: Id; readonly text: string } | undefined;
  /** The words of problems. */
  readonly words: {
    /** A tag without a replacement. */
    missing(tag: string): string;
    /** “the content block at [[BLOC.a]]”. */
    one(tag: string): string;
    /** “content blocks”. */
    readonly many: string;
    /** “the HTML with its advertisements”. */
    readonly whole: string;
  };
}

export interface PlacedText<Id> {
  readonly text: string;
  readonly pieces: readonly Piece<Id>[];
  /** The distinct ids of its replacements. */
  readonly placed: readonly Id[];
  readonly problems: readonly Unreplaced[];
}

/** Why a tag cannot be replaced. Such a tag stays, and prevents sending. */
export interface Unreplaced {
  readonly text: string;
  /** The tag, if nothing exists to replace it. */
  readonly missing?: string;
}

/** Maximum nesting of texts. */
const maxDepth = 4;
/** Maximum number of replacements in one message, so that empty texts in four levels have an end. */
const maxInserted = 1_000;
/** Maximum length of a text with all its replacements. */
const maxLength = 4_000_000;
const maxProblems = 100;

export interface Placeholder<Key> {
  readonly key: Key;
  /** The tag as written. */
  readonly tag: string;
}

type Part<Key> = string | Placeholder<Key>;

/** Replaces the tags of some rules by texts, nested ones too. */
export class Placer<Id, Key> {
  readonly #rules: PlacerRules<Id, Key>;
  /** Each text is parsed once, however often it is used. */
  readonly #parts = new Map<Key, readonly Part<Key>[]>();
  readonly #chunks: string[] = [];
  readonly #pieces: Piece<Id>[] = [];
  readonly #placed = new Set<Id>();
  readonly #problems = new Map<string, Unreplaced>();
  #length = 0;
  #inserted = 0;
  #left = 0;

  constructor(rules: PlacerRules<Id, Key>) {
    this.#rules = rules;
  }

  /** Returns the text with its tags replaced; the source itself, with the problem, if a limit is exceeded. */
  place(source: string): PlacedText<Id> {
    const parts = partsOf(source, this.#rules);
    const limit = parts.every((part) => typeof part === 'string')
      ? this.#write(source, this.#rules.own, 0)
      : this.#all(parts, this.#rules.own, []);
    if (limit !== undefined) return unplacedText(source, this.#rules.own, [{ text: limit }]);
    return {
      text: this.#chunks.join(''),
      pieces: this.#pieces,
      placed: [...this.#placed],
      problems: [...this.#problems.values()],
    };
  }

  /** @returns the exceeded limit, if any; `around` are the keys of the outer texts. */
  #all(parts: readonly Part<Key>[], id: Id, around: readonly Key[]): string | undefined {
    let from = 0;
    for (const part of parts) {
      const isText = typeof part === 'string';
      const limit = isText ? this.#write(part, id, from) : this.#insert(part, id, from, around);
      if (limit !== undefined) return limit;
      from += isText ? part.length : part.tag.length;
    }
    return undefined;
  }

  #write(text: string, id: Id, from: number): string | undefined {
    if (text === '') return undefined;
    const start = this.#length;
    this.#length += text.length;
    // A source that is long on its own is bounded where it is stored.
    if (this.#inserted > 0 && this.#length > maxLength)
      return `${this.#rules.words.whole} has more than ${maxLength} characters`;
    this.#chunks.push(text);
    this.#pieces.push({ start, end: this.#length, id, from });
    return undefined;
  }

  #insert({ key, tag }: Placeholder<Key>, id: Id, from: number, around: readonly Key[]): string | undefined {
    const { words } = this.#rules;
    const leave = (text: string) => this.#leave(tag, id, from, { text });
    const found = this.#rules.find(key);
    if (!found) return this.#leave(tag, id, from, { text: words.missing(tag), missing: tag });
    if (around.includes(key)) return leave(`${words.one(tag)} contains itself`);
    if (around.length >= maxDepth)
      return leave(`${words.many} nest at most ${maxDepth} deep, and ${tag} is deeper`);
    if (++this.#inserted > maxInserted) return `more than ${maxInserted} ${words.many} in one message`;
    this.#placed.add(found.id);
    const parts = this.#parts.get(key) ?? partsOf(found.text, this.#rules);
    this.#parts.set(key, parts);
    return this.#all(parts, found.id, [...around, key]);
  }

  #leave(tag: string, id: Id, from: number, problem: Unreplaced): string | undefined {
    const { many } = this.#rules.words;
    if (++this.#left > maxTags) return `more than ${maxTags} tags without ${many}`;
    if (this.#problems.size < maxProblems) this.#problems.set(problem.text, problem);
    return this.#write(tag, id, from);
  }
}

/** A text without replacements. */
export function unplacedText<Id>(text: string, own: Id, problems: readonly Unreplaced[]): PlacedText<Id> {
  return { text, pieces: [{ start: 0, end: text.length, id: own, from: 0 }], placed: [], problems };
}

/** The tags of a source that are replaced, in order. */
export function placeholdersIn<Key>(
  source: string,
  rules: Pick<PlacerRules<unknown, Key>, 'keyOf' | 'decode'>,
): Placeholder<Key>[] {
  return partsOf(source, rules).filter((part) => typeof part !== 'string');
}

/** A source split into its placeholders and the texts between them. */
function partsOf<Key>(
  source: string,
  { keyOf, decode }: Pick<PlacerRules<unknown, Key>, 'keyOf' | 'decode'>,
): Part<Key>[] {
  const parts: Part<Key>[] = [];
  let from = 0;
  for (const { start, end, inside } of scanTags(source).tags) {
    const tag = parseTag(decode(inside));
    const key = tag && keyOf(tag);
    if (key === undefined) continue;
    parts.push(source.slice(from, start), { key, tag: source.slice(start, end) });
    from = end;
  }
  parts.push(source.slice(from));
  return parts;
}
