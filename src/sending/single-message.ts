import { receiptStates } from '../activity/receipt.ts';
import type { PageLanguage } from '../contents/page-language.ts';

/**
 * States of a message that belongs to no audience: the final states of a recipient, and two before them. The numbers
 * are stored in `single_message.state`. A reply may still come for an uncertain one whose process was only slow; it is
 * entered then, but the message is never sent again.
 */
export const singleStates = {
  ...receiptStates,
  /** Waits for an attempt, the first one or the next one after it was deferred. */
  pending: 10,
  /** Its final dot may be out: committed before the dot is written. */
  handingOver: 11,
} as const;

/** A single message that is held by lease, to be handed over: a forward, or else a single send. */
export interface HeldMessage {
  readonly id: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  /** Fencing token: what an earlier holder writes does nothing. */
  readonly lease: number;
  /** When it was requested. */
  readonly createdAt: Date;
  /** How often it was deferred. */
  readonly deferrals: number;
  /** The installation's epoch when it was requested; null before there was one. */
  readonly epoch: string | null;
  readonly of: HeldForward | HeldSend;
}

/** What a forwarded message is made of beside the frozen job. */
export interface HeldForward {
  readonly kind: 'forward';
  /** The friend's address. */
  readonly friend: string;
  /** Of the forwarder; '' when none was given. */
  readonly name: string;
  readonly language: PageLanguage;
  /** Whether nothing is to be sent to this address: it is blocked, or of somebody who is not eligible. */
  readonly isBarred: boolean;
}

/** What a single send is made of beside the frozen job. */
export interface HeldSend {
  readonly kind: 'send';
  readonly isTransactional: boolean;
  /** `emailData`, by name in lower case. */
  readonly data: Readonly<Record<string, string>>;
  /** What is before the addresses of tracked links; '' for nothing. */
  readonly clickTracker: string;
  /** Whether it has messages of its own or attachments (`ownPartsOf`). */
  readonly hasOwnParts: boolean;
}
