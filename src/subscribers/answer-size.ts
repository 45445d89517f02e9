import type { Field } from '../fields/field.ts';
import { tooLarge } from '../platform/http/refusal.ts';
import type { SubscriberRow } from './subscriber.ts';

/** Characters of text that an answer holds at most. */
const maxCharacters = 32_000_000;
/** Of a value that is no text. */
const otherCharacters = 30;

/**
 * How long an answer has become. A subscriber may have half a megabyte of texts, and a call name them thousands of
 * times: the answer, and the process with it, would grow to gigabytes.
 */
export class AnswerSize {
  #left = maxCharacters;

  /** Of the same length, to be counted on while it is not sure that the rows will be shown. */
  copy(): AnswerSize {
    const copy = new AnswerSize();
    copy.#left = this.#left;
    return copy;
  }

  /** Takes over what was counted on a copy. */
  keep(copy: AnswerSize): void {
    this.#left = copy.#left;
  }

  /** Counts rows that the answer is to show. @throws 413 when they do not fit in; then they are not counted. */
  add(rows: Iterable<SubscriberRow>): void {
    let left = this.#left;
    for (const row of rows)
      for (const value of Object.values(row)) if (typeof value === 'string') left -= value.length;
    if (left < 0)
      throw tooLarge(
        `The answer would have more than ${maxCharacters} characters: name fewer subscribers in a call`,
      );
    this.#left = left;
  }
}

/**
 * How many subscribers can be read in one statement, whatever they hold: an answer that grows too long is then seen
 * before much more than it may have is in memory. Thousands, unless a site has fields of very long texts.
 */
export function readAtATime(fields: readonly Field[]): number {
  // The id is read in any case.
  const longest = fields.reduce((sum, { length }) => sum + (length ?? otherCharacters), otherCharacters);
  return Math.max(1, Math.floor(maxCharacters / longest));
}

/** A list in parts of `size`, the last one shorter. */
export function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
    list.slice(part * size, (part + 1) * size),
  );
}
