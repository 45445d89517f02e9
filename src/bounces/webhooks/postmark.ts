import { referenceName } from '../../accounts/pass-through.ts';
import { entryOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, reply, type SaidClass } from './provider-report.ts';

/** Types of bounces that are failures. The others are about Postmark's account, not about the message. */
const failures: Readonly<Record<string, SaidClass>> = {
  HardBounce: 'hard',
  BadEmailAddress: 'hard',
  SoftBounce: 'soft',
  Transient: 'soft',
  DnsError: 'dns',
  SpamNotification: 'spam',
  VirusNotification: 'spam',
  Blocked: 'spam',
  DMARCPolicy: 'spam',
  Unknown: 'unknown',
};
const replies: ReadonlySet<string> = new Set(
  'AutoResponder ChallengeVerification AddressChange Subscribe Unsubscribe'.split(' '),
);

/** Reads a webhook of Postmark (“Bounce webhook”, “Spam complaint webhook”, “Bounce types”). */
export function readPostmark(body: unknown): ProviderReport[] {
  const type = textAt(body, 'Type');
  const id = textAt(body, 'ID');
  const references = [textAt(body, 'Metadata', referenceName)];
  const record = textAt(body, 'RecordType');
  if (record !== 'Bounce' && record !== 'SpamComplaint') return [];
  if (type === 'SpamComplaint') return [complaint(id, references)];
  const diagnostic = textAt(body, 'Details') || textAt(body, 'Description');
  const said = entryOf(failures, type);
  if (said) return [failure({ id, diagnostic, said, references })];
  return replies.has(type) ? [reply(id, references, diagnostic)] : [];
}
