import { parseArgs } from 'node:util';

/** A command line that cannot be understood; the message says which part. */
export class UsageError extends Error {}

export const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  name: { type: 'string' },
  email: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  'body-stdin': { type: 'boolean' },
  user: { type: 'string' },
  role: { type: 'string' },
  site: { type: 'string', multiple: true },
  'all-sites': { type: 'boolean' },
  label: { type: 'string' },
  expires: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  login: { type: 'string' },
  subfolder: { type: 'string' },
  'host-key': { type: 'string' },
  'key-file': { type: 'string' },
} as const;

export type Option = keyof typeof options;
export type Values = ReturnType<typeof parse>['values'];

/** @throws UsageError for what is no option, and for what is no text. */
export function parse(args: readonly string[]) {
  // Node reads what is no UTF-8 as this character: each accent of it would be kept so, permanently.
  if (args.some((word) => word.includes('\ufffd')))
    throw new UsageError('A word of the command line is not written in UTF-8');
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. To specify')[0]!);
  }
}

/** @throws UsageError for more words than `count`. */
export function noMoreThan(count: number, words: readonly string[]): void {
  if (words.length > count) throw new UsageError(`'${words[count]}' is one word too many`);
}

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
