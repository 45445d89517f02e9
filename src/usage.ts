/** A command line that cannot be understood; the message says which part. */
export class UsageError extends Error {}

/** @throws UsageError when it was left out. */
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
