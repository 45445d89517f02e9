import { isWebAddress } from '../contents/html-links.ts';

/**
 * A stored address for a Location header; undefined if it is not an absolute http or https address. An address of
 * visible ASCII stays byte for byte; others are written as browsers write them.
 */
export function redirectAddress(url: string): string | undefined {
  if (!isWebAddress(url)) return undefined;
  if (/^[\x21-\x7e]+$/.test(url)) return url;
  return new URL(url).href;
}

/** Whether an address contains tags, which are filled for the reader. */
export const hasTags = (url: string): boolean => url.includes('[[');
