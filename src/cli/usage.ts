/** A command line that cannot be understood; the message says which part. */
export class UsageError extends Error {}

/** @throws UsageError when it was omitted. */
export function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Missing: ${what}`);
  return value;
}

/** @throws UsageError */
export function wholeNumber(text: string, what: string, from: 0 | 1 = 1): number {
  if (!(from === 0 ? /^\d{1,9}$/ : /^[1-9]\d{0,8}$/).test(text))
    throw new UsageError(`${what} must be a whole number from ${from}`);
  return Number(text);
}

/** Maximum characters of one message. */
const maxShown = 2000;

/** An error's words for a terminal: what was typed in, and is repeated in them, cannot steer it or fill it. */
export function shownSafely(message: string): string {
  const escaped = message
    .slice(0, maxShown)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) =>
      one === '\n' ? one : `\\u{${one.codePointAt(0)!.toString(16)}}`,
    );
  return message.length > maxShown ? `${escaped}…` : escaped;
}
