/** The final states of a recipient of a sending. The numbers are stored in `receipt.state`. */
export const receiptStates = {
  /** The relay accepted the message. */
  accepted: 1,
  /** The relay refused it permanently (5xx). */
  refused: 2,
  /** It was deferred (4xx) until the time limit. */
  expired: 3,
  /** The reply to the final dot was lost; never sent again automatically. */
  uncertain: 4,
  /** Not attempted: unsubscribed, bounced or complained in the meantime, or the job was stopped. */
  cancelled: 5,
} as const;
export type ReceiptState = (typeof receiptStates)[keyof typeof receiptStates];

/** Final states of recipients of a sending as columns: element i of each list is about the same recipient. */
export interface Receipts {
  readonly idSent: number;
  readonly idSubscribers: readonly number[];
  readonly states: readonly ReceiptState[];
  /** SMTP reply codes; 0 means none. */
  readonly codes: readonly number[];
  /** Mailbox providers of the addresses; 0 means none. */
  readonly idProviders: readonly number[];
  /** When each became final. */
  readonly times: readonly Date[];
}

/**
 * Maximum number of seconds from the first receipt of a row to its last. Delays are 32-bit milliseconds, 24 days; a
 * range of a job that was paused for longer becomes several rows.
 */
export const longestRangeS = 20 * 86_400;
