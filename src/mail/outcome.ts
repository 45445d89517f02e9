type Replied = { readonly code: number; readonly enhanced: string; readonly text: string };
/** The outcome of one message on one connection. */
export type DeliveryOutcome =
  /** The server accepted the message. */
  | ({ readonly kind: 'accepted' } & Replied)
  /** 4xx: the server did not accept it; retry later. */
  | ({ readonly kind: 'deferred' } & Replied)
  /** 5xx: the server permanently rejected `of`; only a reply to RCPT concerns the recipient. */
  | ({ readonly kind: 'refused'; readonly of: 'sender' | 'recipient' | 'message' } & Replied)
  /**
   * The final dot was not written: the server cannot have accepted the message. This says nothing about the message.
   */
  | { readonly kind: 'notAttempted'; readonly text: string }
  /** The final dot was written and no reply came: the server may have accepted the message or not. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Addresses of MAIL FROM and RCPT TO, without `<` and `>`. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/** Time limits of each step in milliseconds; RFC 5321 section 4.5.3.2. A shorter last one would cause duplicates. */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  readonly command: number;
  readonly data: number;
  readonly block: number;
  readonly finalDot: number;
}

/** The time limits of RFC 5321, which has none for the connection itself. */
export const standardTimeouts: SmtpTimeouts = {
  connect: 30_000,
  greeting: 300_000,
  command: 300_000,
  data: 120_000,
  block: 180_000,
  finalDot: 600_000,
};
