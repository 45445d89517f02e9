/** The outcome of one message on one connection. */
export type DeliveryOutcome =
  /** The server took the message. */
  | { readonly kind: 'accepted'; readonly code: number; readonly enhanced: string; readonly text: string }
  /** 4xx: the server did not take it; retry later. */
  | { readonly kind: 'deferred'; readonly code: number; readonly enhanced: string; readonly text: string }
  /** 5xx: the server will never take it. `of`: what it refused; the recipient is answered for at RCPT alone. */
  | {
      readonly kind: 'refused';
      readonly of: 'sender' | 'recipient' | 'message';
      readonly code: number;
      readonly enhanced: string;
      readonly text: string;
    }
  /** The final dot was never written: the server cannot have taken it. Says nothing about the message itself. */
  | { readonly kind: 'notAttempted'; readonly text: string }
  /** The final dot was written and no answer came: the server may have taken it or not. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Addresses of MAIL FROM and RCPT TO, without `<` and `>`. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/** Milliseconds to wait for each step; RFC 5321 section 4.5.3.2. A shorter last one would make duplicates. */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  readonly command: number;
  readonly data: number;
  readonly block: number;
  readonly finalDot: number;
}

/** Those of RFC 5321, but for the connection itself, which it leaves open. */
export const standardTimeouts: SmtpTimeouts = {
  connect: 30_000,
  greeting: 300_000,
  command: 300_000,
  data: 120_000,
  block: 180_000,
  finalDot: 600_000,
};
