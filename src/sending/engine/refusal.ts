import type { MailboxRefusal } from '../../activity/bounce.ts';
import { classifyMailbox, refusalEvidence } from '../../activity/bounce-rules.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Outcome } from './range-memory.ts';

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
