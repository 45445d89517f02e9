import type { Field } from '../fields/field.ts';
import { tooLarge } from '../platform/http/refusal.ts';
import type { SubscriberRow } from './subscriber.ts';

/** Maximum number of characters of text in a reply. */
const maxCharacters = 32_000_000;
/** Characters counted for a value that is not text. */
const otherCharacters = 30;

/** Limits a reply's size: a subscriber may have half a megabyte of text, and a call may name thousands. */
export class AnswerSize {
  #left = maxCharacters;

  /** A copy, to count rows that may not be shown in the end. */
  copy(): AnswerSize {
    const copy = new AnswerSize();
    copy.#left = this.#left;
    return copy;
  }

  keep(copy: AnswerSize): void {
    this.#left = copy.#left;
  }

  /** Counts rows of the reply. @throws 413 when they exceed the limit; then they are not counted. */
  add(rows: Iterable<SubscriberRow>): void {
    let left = this.#left;
    for (const row of rows)
      for (const value of Object.values(row)) if (typeof value === 'string') left -= value.length;
    if (left < 0)
      throw tooLarge(
        `The response would exceed ${maxCharacters} characters; name fewer subscribers in a call`,
      );
    this.#left = left;
  }
}

/** Subscribers that one statement may read: fewer where texts are long, so that an excess is noticed early. */
export function readAtATime(fields: readonly Field[]): number {
  // The id is always read.
  const longest = fields.reduce((sum, { length }) => sum + (length ?? otherCharacters), otherCharacters);
  return Math.max(1, Math.floor(maxCharacters / longest));
}

/** A list in parts of `size`; the last one may be shorter. */
export function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
    list.slice(part * size, (part + 1) * size),
  );
}
