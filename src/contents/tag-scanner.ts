import type { Span } from './spans.ts';

/** A `[[…]]` of a source, not yet understood; brackets included. */
export interface RawTag extends Span {
  /** The text between the brackets, as written. */
  readonly inside: string;
}

export interface TagScan {
  /** In order, never overlapping. */
  readonly tags: readonly RawTag[];
  /** Where a tag seems to begin that never ends (`[[FLD.1` …); undefined when there is none. */
  readonly unclosedAt: number | undefined;
  /** Where the first tag stands that is one too many; undefined when there is none. */
  readonly excessAt?: number;
}

/** More tags than any content needs; the bound keeps a hostile megabyte of conditions under 50 ms. */
export const maxTags = 10_000;

/**
 * Finds the tags of a source in one pass. A tag runs from the last `[[` before a `]]` to that `]]`, so stray
 * brackets in front of it are text. Linear: every character is looked at a bounded number of times (1 MB of
 * `[[[[` takes 2 ms).
 */
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

// Brackets that no word follows are text (a nested list, an ornament); `[[FLD.1` with its end forgotten is a
// mistake.
function unclosedTag(source: string, firstOpen: number): number | undefined {
  const pattern = /\[\[[ \t]*[A-Za-z]/g;
  pattern.lastIndex = firstOpen;
  return pattern.exec(source)?.index;
}

/**
 * The source with every tag overwritten by letters, of the same length: what quotes, brackets or spaces tags
 * hold cannot mislead a scanner of HTML or addresses, and its positions are the source's own.
 */
export function maskTags(source: string, tags: readonly RawTag[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of tags) {
    pieces.push(source.slice(from, start), 'x'.repeat(end - start));
    from = end;
  }
  pieces.push(source.slice(from));
  // Joined rather than added up: anyone who looks at each character then finds them in one piece.
  return pieces.join('');
}

/** A text without its tags: the document's `parsedUrl`. */
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
