/** Receives an address's start and end; returns whether to continue. A generator takes a third longer. */
export type Found = (start: number, end: number) => boolean;

/**
 * Finds the addresses of pictures in CSS, in order, without their quotes: those of `url()`, except in `@import` and in
 * font faces. Addresses with an escape are omitted. Each character is read a bounded number of times.
 */
export function cssUrls(css: string, found: Found): void {
  let skipTo: ';' | '}' | undefined;
  for (let from = 0; ; ) {
    const next = skipTo === undefined ? token : tokenOrEnd;
    next.lastIndex = from;
    if (!next.test(css)) return;
    from = next.lastIndex;
    // Each token ends with another character.
    const last = css[from - 1]!;
    if (last === '*') from = behind(css, '*/', from);
    else if (last === '"' || last === "'") from = behindString(css, last, from);
    else if (last !== '(') skipTo = afterToken(last, skipTo);
    else {
      const url = readUrl(css, from);
      from = url.behind;
      if (url.end > url.start && skipTo === undefined && !found(url.start, url.end)) return;
    }
  }
}

// Tokens that may contain a false address, or begin one. In a rule or block without pictures, its end is a token too.
const token = /\/\*|["']|\burl\(|@(?:import|font-face)\b/gi;
const tokenOrEnd = /\/\*|["']|\burl\(|[;}]/gi;

/** At-rules whose URLs are not pictures, by their last letter, with the character that ends them. */
const skips: Readonly<Record<string, ';' | '}'>> = { t: ';', T: ';', e: '}', E: '}' };

function afterToken(last: string, skipTo: ';' | '}' | undefined): ';' | '}' | undefined {
  return last === skipTo || last === '}' ? undefined : (skips[last] ?? skipTo);
}

function behind(css: string, what: string, from: number): number {
  const at = css.indexOf(what, from);
  return at < 0 ? css.length : at + what.length;
}

/** The end of a string: its quote, or the line end if the quote is missing. */
function behindString(css: string, quote: string, from: number): number {
  for (let i = from; i < css.length; i++) {
    const character = css[i];
    if (character === '\\') i++;
    else if (character === quote || character === '\n') return i + 1;
  }
  return css.length;
}

const word = /[^\s"'()\\]*/y;

/** Returns the address in `url(…)`; empty if it has escapes or is not closed. */
function readUrl(css: string, from: number): { start: number; end: number; behind: number } {
  let start = from;
  while (isBlank(css, start)) start++;
  const quote = css[start];
  if (quote === '"' || quote === "'") {
    const after = behindString(css, quote, start + 1);
    let bracket = after;
    while (isBlank(css, bracket)) bracket++;
    const isWhole = css[after - 1] === quote && css[bracket] === ')';
    const isPlain = isWhole && !css.slice(start + 1, after - 1).includes('\\');
    return { start: start + 1, end: isPlain ? after - 1 : start + 1, behind: isWhole ? bracket + 1 : after };
  }
  word.lastIndex = start;
  word.test(css);
  const end = word.lastIndex;
  let bracket = end;
  while (isBlank(css, bracket)) bracket++;
  return css[bracket] === ')' ? { start, end, behind: bracket + 1 } : { start, end: start, behind: end };
}

const isBlank = (css: string, at: number): boolean => at < css.length && css.charCodeAt(at) <= 0x20;
