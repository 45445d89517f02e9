/** One of two signs is in the other, so that a text could mean both. */
export const areAlike = (one: string, other: string): boolean => one.includes(other) || other.includes(one);

/** Characters that cannot be typed, in the ways in which they are written: `\t`, `{CR}{LF}`, `Tab`. */
export function spelledOut(text: string): string {
  if (/^tab$/i.test(text)) return '\t';
  return text
    .replaceAll(/\{CR\}|\\r/gi, '\r')
    .replaceAll(/\{LF\}|\\n/gi, '\n')
    .replaceAll(/\{t\}|\{tab\}|\\t/gi, '\t');
}
