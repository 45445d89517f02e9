import { tooLarge } from './refusal.ts';

/** Bytes of contents in one page of a list: it is in memory several times while it is written. */
const maxPageBytes = 64_000_000;

/** @throws 413 when the rows of a page are too many for what they hold; said before they are read. */
export function checkPageSize(bytes: number): void {
  if (bytes <= maxPageBytes) return;
  throw tooLarge(
    `filter.limit: the contents of this page are larger than ${maxPageBytes} bytes; request fewer`,
  );
}
