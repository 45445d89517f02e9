import type { Span } from './spans.ts';

/** A `[[…]]` of a source before parsing; brackets included. */
export interface RawTag extends Span {
  /** The text between the brackets, as written. */
  readonly inside: string;
}

export interface TagScan {
  /** In order, never overlapping. */
  readonly tags: readonly RawTag[];
  /** The start of a tag that has no end (`[[FLD.1` …); undefined if there is none. */
  readonly unclosedAt: number | undefined;
  /** The start of the first tag above the limit; undefined if there is none. */
  readonly excessAt?: number;
}

/** Maximum number of tags, more than any content needs; it keeps a hostile megabyte of conditions under 50 ms. */
export const maxTags = 10_000;

/** Finds the tags of a source in one pass, each from the last `[[` before a `]]`. Linear: 1 MB of `[[[[` takes 2 ms. */
export function scanTags(source: string): TagScan {
  const tags: RawTag[] = [];
  let from = 0;
  for (;;) {
    const firstOpen = source.indexOf('[[', from);
    if (firstOpen < 0) return { tags, unclosedAt: undefined };
    const close = source.indexOf(']]', firstOpen + 2);
    if (close < 0) return { tags, unclosedAt: unclosedTag(source, firstOpen) };
    const open = source.lastIndexOf('[[', close - 2);
    if (tags.length >= maxTags) return { tags, unclosedAt: undefined, excessAt: open };
    tags.push({ start: open, end: close + 2, inside: source.slice(open + 2, close) });
    from = close + 2;
  }
}

// Brackets without a word are text (a nested list, an ornament); `[[FLD.1` without an end is a mistake.
function unclosedTag(source: string, firstOpen: number): number | undefined {
  const pattern = /\[\[[ \t]*[A-Za-z]/g;
  pattern.lastIndex = firstOpen;
  return pattern.exec(source)?.index;
}

/** The source with every tag replaced by as many letters, so that no quote or bracket in it misleads a scanner. */
export function maskTags(source: string, tags: readonly RawTag[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of tags) {
    pieces.push(source.slice(from, start), 'x'.repeat(end - start));
    from = end;
  }
  pieces.push(source.slice(from));
  // Joined, not concatenated, so that the result is one flat string for readers of single characters.
  return pieces.join('');
}

/** A text without its tags: the API document's `parsedUrl`. */
export function withoutTags(source: string): string {
  // Most addresses have none, and contents have many addresses.
  if (!source.includes('[[')) return source;
  let text = '';
  let from = 0;
  for (const tag of scanTags(source).tags) {
    text += source.slice(from, tag.start);
    from = tag.end;
  }
  return text + source.slice(from);
}
