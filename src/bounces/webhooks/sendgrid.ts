import { referenceName } from '../../accounts/pass-through.ts';
import { listOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, type SaidClass } from './provider-report.ts';

/** Why SendGrid dropped a message, by the beginning of its reason. */
const drops: readonly (readonly [RegExp, SaidClass])[] = [
  [/^(bounced address|invalid)/i, 'hard'],
  [/^(spam|unsubscribed)/i, 'spam'],
];

/**
 * Reads a batch of events of SendGrid (“Event Webhook reference”). `deferred` events are retried, so they are not
 * reports.
 */
export function readSendgrid(body: unknown): ProviderReport[] {
  return listOf(body).flatMap((event) => {
    const id = textAt(event, 'sg_event_id');
    const references = [textAt(event, referenceName)];
    const diagnostic = textAt(event, 'reason');
    switch (textAt(event, 'event')) {
      case 'spamreport':
        return [complaint(id, references)];
      case 'bounce': {
        const said = textAt(event, 'type') === 'blocked' ? 'unknown' : 'hard';
        return [failure({ id, status: textAt(event, 'status'), diagnostic, said, references })];
      }
      case 'dropped': {
        const said = drops.find(([start]) => start.test(diagnostic))?.[1] ?? 'unknown';
        return [failure({ id, diagnostic, said, references })];
      }
      default:
        return [];
    }
  });
}
