import type { MailboxRefusal } from '../../activity/bounce.ts';
import { classifyMailbox, refusalEvidence } from '../../activity/bounce-rules.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Outcome } from './range-memory.ts';

/** When a message that was deferred (4xx) is retried. */
export interface RetryPolicy {
  /** Milliseconds after the first, second … deferral; the last one repeats. */
  readonly delays: readonly number[];
  /** Milliseconds after the first deferral at which trying ends. */
  readonly giveUpAfter: number;
}

const minute = 60_000;

/** Greylisting lets a second attempt in after some minutes; after that patience costs nothing. */
export const standardRetry: RetryPolicy = {
  delays: [5 * minute, 15 * minute, 30 * minute, 60 * minute, 120 * minute],
  giveUpAfter: 24 * 60 * minute,
};

/**
 * When a message is retried after its `attempts`th deferral (from 1), in ms since 1970. The last try comes when the
 * time for trying is over, not a whole delay later.
 */
export function retryAt(
  policy: RetryPolicy,
  { attempts, firstAt, lastAt }: { attempts: number; firstAt: number; lastAt: number },
): number {
  const delay = policy.delays[Math.min(attempts, policy.delays.length) - 1] ?? 0;
  return Math.min(lastAt + delay, Math.max(lastAt, firstAt + policy.giveUpAfter));
}

/** Whether a deferral at `at` is the last one of a message first deferred at `firstAt` (both in ms since 1970). */
export function isOver(policy: RetryPolicy, firstAt: number, at: number): boolean {
  return at - firstAt >= policy.giveUpAfter;
}

/** Why a recipient's message was not delivered, as it is recorded with the outcome. */
export type WhyFailed = Pick<Outcome, 'refusal' | 'failure'>;

/**
 * Returns what a permanent rejection says of the recipient's mailbox; undefined if it says nothing about it. Only a
 * reply to RCPT does: the sender and the content are ours to answer for, and so is a relay that does not know us.
 */
export function refusalOf(
  outcome: DeliveryOutcome & { readonly kind: 'refused' },
): MailboxRefusal | undefined {
  if (outcome.of !== 'recipient') return undefined;
  const found = classifyMailbox(refusalEvidence(outcome));
  return found === null ? undefined : { class: found, status: outcome.enhanced, diagnostic: outcome.text };
}

/** What is recorded with a refusal: a bounce, or else the reply alone. */
export function whyRefused(outcome: DeliveryOutcome & { readonly kind: 'refused' }): WhyFailed {
  const refusal = refusalOf(outcome);
  return refusal ? { refusal } : { failure: { status: outcome.enhanced, reply: outcome.text } };
}
