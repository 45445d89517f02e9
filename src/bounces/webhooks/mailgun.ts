import { referenceName } from '../../accounts/pass-through.ts';
import { entryOf, objectOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, type SaidClass } from './provider-report.ts';

/** Reasons of a permanent failure that are more precise than the server's reply. */
const reasons: Readonly<Record<string, SaidClass>> = {
  bounce: 'hard',
  'suppress-bounce': 'hard',
  'suppress-complaint': 'spam',
  'suppress-unsubscribe': 'spam',
  espblock: 'spam',
  old: 'soft',
};

/** Reads an event of Mailgun (“Webhook payloads”). It retries temporary failures, so these are not reports. */
export function readMailgun(body: unknown): ProviderReport[] {
  const event = objectOf(objectOf(body)['event-data']);
  const id = textAt(event, 'id');
  const references = [textAt(event, 'user-variables', referenceName), textAt(event, 'envelope', 'sender')];
  switch (textAt(event, 'event')) {
    case 'complained':
      return [complaint(id, references)];
    case 'rejected':
      return [failure({ id, diagnostic: textAt(event, 'reject', 'reason'), said: 'unknown', references })];
    case 'failed': {
      if (textAt(event, 'severity') !== 'permanent') return [];
      const status = objectOf(event['delivery-status']);
      const words = textAt(status, 'message') || textAt(status, 'description');
      return [
        failure({
          id,
          status: textAt(status, 'enhanced-code'),
          diagnostic: `${textAt(status, 'code')} ${words}`.trim(),
          said: entryOf(reasons, textAt(event, 'reason')) ?? 'unknown',
          references,
        }),
      ];
    }
    default:
      return [];
  }
}
