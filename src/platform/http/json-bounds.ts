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
 * What makes a JSON text too costly to be parsed, in words; undefined when nothing does. To parse eight megabytes of
 * `[` or `{},` takes most of a second, in which no one else is served: this looks at each character once at most,
 * ends at the first excess, and keeps a number for each open level. Whether the text is JSON, the parser tells.
 */
export function jsonExcess(text: string): string | undefined {
  // Commas of each open level, one more where it is an object. Of arrays, and outside of all, no number is too many:
  // they begin so low that no text is long enough.
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

/** Where the quote stands that ends a string; the text's end when none does. */
function endOfString(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i;
    if (code === backslash) i++;
  }
  return i;
}
