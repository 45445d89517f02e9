/** Levels of objects and arrays inside one another; no body that an operation takes has ten. */
export const maxDepth = 64;
/** Members of one object; no object of an operation has a hundred. */
export const maxMembers = 1_000;
/** Objects and arrays of one text: the largest body that an operation takes, in its shortest writing, has 420,000. */
export const maxContainers = 500_000;

const uncounted = -(2 ** 31);
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Describes what makes a JSON text too costly to parse; undefined if nothing does. Parsing eight megabytes of `[` or
 * `{},` takes most of a second and blocks all other requests. This looks at each character at most once, ends at the
 * first excess, and keeps a number for each open level. Whether the text is JSON at all is left to the parser.
 */
export function jsonExcess(text: string): string | undefined {
  // Commas of each open level, one more for an object. Arrays and the top level have no limit: they begin so low that
  // no text is long enough to reach it.
  const levels = new Int32Array(maxDepth + 1).fill(uncounted);
  let depth = 0;
  let containers = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = endOfString(text, i + 1);
        break;
      case openBrace:
      case openBracket:
        if (depth === maxDepth) return `The body nests deeper than ${maxDepth} levels`;
        if (++containers > maxContainers) return `The body has more than ${maxContainers} objects and arrays`;
        levels[++depth] = text.charCodeAt(i) === openBrace ? 1 : uncounted;
        break;
      case closeBrace:
      case closeBracket:
        // More ends than beginnings: no JSON, and nothing to be bounded.
        if (depth === 0) return undefined;
        depth--;
        break;
      case comma:
        if (++levels[depth]! > maxMembers) return `An object of the body has more than ${maxMembers} members`;
        break;
    }
  }
  return undefined;
}

/** Returns the position of the quote that ends a string, or the text's end if there is none. */
function endOfString(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i;
    if (code === backslash) i++;
  }
  return i;
}
