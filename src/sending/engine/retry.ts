import type { MailboxRefusal } from '../../activity/bounce.ts';
import { classifyMailbox, refusalEvidence } from '../../activity/bounce-rules.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Outcome } from './range-memory.ts';

/** The times at which a deferred message (4xx) is retried. */
export interface RetryPolicy {
  /** Milliseconds after the first, second … deferral; the last one repeats. */
  readonly delays: readonly number[];
  /** Milliseconds after the first deferral at which retries end. */
  readonly giveUpAfter: number;
}

const minute = 60_000;

/** Greylisting accepts a second attempt after some minutes; after that, patience costs nothing. */
export const standardRetry: RetryPolicy = {
  delays: [5 * minute, 15 * minute, 30 * minute, 60 * minute, 120 * minute],
  giveUpAfter: 24 * 60 * minute,
};

/**
 * Returns when a message is retried after its `attempts`th deferral (from 1), in ms since 1970. The last attempt is at
 * the end of the time for retries, not a whole delay later.
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

/** The reason why a message was not delivered, as it is stored with the outcome. */
export type WhyFailed = Pick<Outcome, 'refusal' | 'failure'>;

/**
 * Returns the meaning of a permanent rejection for the recipient's mailbox; undefined if it has none. Only a reply to
 * RCPT has one: the sender, the content, and a relay that does not know us are our own responsibility.
 */
export function refusalOf(
  outcome: DeliveryOutcome & { readonly kind: 'refused' },
): MailboxRefusal | undefined {
  if (outcome.of !== 'recipient') return undefined;
  const found = classifyMailbox(refusalEvidence(outcome));
  return found === null ? undefined : { class: found, status: outcome.enhanced, diagnostic: outcome.text };
}

/** Returns the reason to store with a refusal: a bounce, or only the reply. */
export function whyRefused(outcome: DeliveryOutcome & { readonly kind: 'refused' }): WhyFailed {
  const refusal = refusalOf(outcome);
  return refusal ? { refusal } : { failure: { status: outcome.enhanced, reply: outcome.text } };
}
