import { referenceName } from '../../accounts/pass-through.ts';
import { listOf, objectOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, type SaidClass } from './provider-report.ts';

/** Subtypes of a bounce that concern the content or the sender; the mailbox may be fine. */
const unwanted: ReadonlySet<string> = new Set([
  'ContentRejected',
  'AttachmentRejected',
  'UnsubscribedRecipient',
]);

/**
 * Reads a notification of Amazon SES: feedback of an identity (`notificationType`) or an event of a configuration set
 * (`eventType`). Amazon's documents: “Amazon SNS notification contents”, “Contents of event data”.
 */
export function readSes(body: unknown): ProviderReport[] {
  const event = objectOf(body);
  const type = textAt(event, 'notificationType') || textAt(event, 'eventType');
  const references = referencesOf(event.mail);
  if (type === 'Complaint') {
    const about = textAt(event, 'complaint', 'complaintFeedbackType') || 'abuse';
    return [complaint(textAt(event, 'complaint', 'feedbackId'), references, about)];
  }
  if (type !== 'Bounce') return [];
  const bounce = objectOf(event.bounce);
  // Each of our messages has one recipient.
  const [recipient] = listOf(bounce.bouncedRecipients);
  return [
    failure({
      id: textAt(bounce, 'feedbackId'),
      status: textAt(recipient, 'status'),
      diagnostic: textAt(recipient, 'diagnosticCode'),
      said: saidBy(textAt(bounce, 'bounceType'), textAt(bounce, 'bounceSubType')),
      references,
    }),
  ];
}

function saidBy(type: string, subType: string): SaidClass {
  if (unwanted.has(subType)) return 'spam';
  return type === 'Permanent' ? 'hard' : type === 'Transient' ? 'soft' : 'unknown';
}

/**
 * The texts that may contain the reference: the tag with a configuration set, the envelope sender always, headers if
 * the identity includes them.
 */
function referencesOf(mail: unknown): string[] {
  const { tags, headers } = objectOf(mail);
  const tag = listOf(objectOf(tags)[referenceName]).map((one) => textAt({ one }, 'one'));
  const own = listOf(headers)
    .slice(0, 200)
    .filter((header) => textAt(header, 'name').toLowerCase() === 'x-ses-message-tags')
    .map((header) => textAt(header, 'value'));
  return [...tag.slice(0, 1), textAt(mail, 'source'), ...own];
}
