import { isWebAddress } from '../contents/html-links.ts';

/**
 * A stored address as it is in a Location header, or undefined when no redirect may lead there: only absolute http
 * and https addresses. One that is visible ASCII stays byte for byte; others are written as browsers write them.
 */
export function redirectAddress(url: string): string | undefined {
  if (!isWebAddress(url)) return undefined;
  if (/^[\x21-\x7e]+$/.test(url)) return url;
  return new URL(url).href;
}

/** Whether an address has tags, which are filled for the reader who follows it. */
export const hasTags = (url: string): boolean => url.includes('[[');
