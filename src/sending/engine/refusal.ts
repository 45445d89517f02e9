import { bounceClasses, type MailboxRefusal } from '../../activity/bounce.ts';
import { classify, refusalEvidence } from '../../activity/bounce-rules.ts';
import type { DeliveryOutcome } from '../smtp/outcome.ts';

/**
 * What a refusal says of the recipient's mailbox; undefined when it says nothing lasting. Only a hard bounce does, and
 * only at RCPT: the sender and the content are ours to answer for, and so is a relay that does not know us.
 */
export function refusalOf(
  outcome: DeliveryOutcome & { readonly kind: 'refused' },
): MailboxRefusal | undefined {
  if (outcome.of !== 'recipient') return undefined;
  const found = classify(refusalEvidence(outcome));
  if (found !== bounceClasses.hard) return undefined;
  return { class: found, status: outcome.enhanced, diagnostic: outcome.text };
}
