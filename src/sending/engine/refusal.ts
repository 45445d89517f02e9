import type { MailboxRefusal } from '../../activity/bounce.ts';
import { classifyMailbox, refusalEvidence } from '../../activity/bounce-rules.ts';
import type { DeliveryOutcome } from '../smtp/outcome.ts';

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
