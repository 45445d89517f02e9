import { entryOf, listOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, type SaidClass } from './provider-report.ts';

/** Events that are failures. `deferred` messages are retried, so these events are not reports. */
const failures: Readonly<Record<string, SaidClass>> = {
  hard_bounce: 'hard',
  invalid_email: 'hard',
  soft_bounce: 'soft',
  blocked: 'spam',
  error: 'unknown',
};

/** Reads one event of Brevo or a batch (“Transactional webhooks”). Its events have no ids. */
export function readBrevo(body: unknown): ProviderReport[] {
  return listOf(body).flatMap((event) => {
    const name = textAt(event, 'event');
    const references = [textAt(event, 'X-Mailin-custom')];
    if (name === 'spam' || name === 'complaint') return [complaint('', references)];
    const said = entryOf(failures, name);
    return said ? [failure({ id: '', diagnostic: textAt(event, 'reason').trim(), said, references })] : [];
  });
}
