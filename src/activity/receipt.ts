/** The final states of a recipient of one sent. Numbers as they are stored in `receipt.state`. */
export const receiptStates = {
  /** The relay took the message. */
  accepted: 1,
  /** The relay refused it permanently (5xx). */
  refused: 2,
  /** It was deferred (4xx) until the time to try was over. */
  expired: 3,
  /** The answer to the final dot was lost; never sent again by itself. */
  uncertain: 4,
  /** Not tried: unsubscribed, bounced or complained since, or the job was stopped. */
  cancelled: 5,
} as const;
export type ReceiptState = (typeof receiptStates)[keyof typeof receiptStates];

/** Final states of recipients of one sent, as columns: element i of each list is about the same recipient. */
export interface Receipts {
  readonly idSent: number;
  readonly idSubscribers: readonly number[];
  readonly states: readonly ReceiptState[];
  /** SMTP reply codes; 0 when there was none. */
  readonly codes: readonly number[];
  /** Mailbox providers of the addresses; 0 for one that is not listed. */
  readonly idProviders: readonly number[];
  /** When each became final. */
  readonly times: readonly Date[];
}

/**
 * Seconds from the first receipt of a row to its last one, at most. Delays are milliseconds of 32 bits, 24 days; a
 * range of a job that was paused for longer becomes several rows.
 */
export const longestRangeS = 20 * 86_400;
