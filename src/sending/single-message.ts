import { receiptStates } from '../activity/receipt.ts';

/**
 * Where a message stands that is of no job: the final states of a recipient, and two before them. Numbers as they are
 * stored in `single_message.state`. An answer may still come for an uncertain one whose process was only slow; it is
 * entered then, but the message is never sent again.
 */
export const singleStates = {
  ...receiptStates,
  /** It waits to be tried, for the first time or again after it was put off. */
  pending: 10,
  /** Its final dot may be out: committed before the dot is written. */
  handingOver: 11,
} as const;

/** A single message that is held by lease, to be handed over. */
export interface HeldMessage {
  readonly id: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  /** Fencing token: what an earlier holder writes does nothing. */
  readonly lease: number;
  /** When it was asked for. */
  readonly createdAt: Date;
  /** How often it was put off. */
  readonly deferrals: number;
  /** The installation's epoch when it was asked for; null before there was one. */
  readonly epoch: string | null;
  readonly forward: HeldForward;
}

/** What a forwarded message is made of beside the frozen job. */
export interface HeldForward {
  /** The friend's address. */
  readonly friend: string;
  /** Of who forwarded it; '' when he gave none. */
  readonly name: string;
  readonly language: 'en' | 'fr';
  /** Is nothing to be sent to this address: it is blocked, or of somebody who may not be written to? */
  readonly isBarred: boolean;
}
