import { entryOf, listOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, type SaidClass } from './provider-report.ts';

/** The values of `error` in “Event API”; a message that was a duplicate was never meant to arrive. */
const errors: Readonly<Record<string, SaidClass | 'none'>> = {
  'user unknown': 'hard',
  'mailbox inactive': 'hard',
  'quota exceeded': 'soft',
  'invalid domain': 'dns',
  'no mail host': 'dns',
  'relay/access denied': 'soft',
  greylisted: 'soft',
  'sender blocked': 'spam',
  'content blocked': 'spam',
  'policy issue': 'spam',
  'system issue': 'soft',
  'protocol issue': 'soft',
  'connection issue': 'soft',
  preblocked: 'soft',
  'duplicate in campaign': 'none',
};

/** Reads one event of Mailjet or a group of them (“Event API”). Its events have no ids. */
export function readMailjet(body: unknown): ProviderReport[] {
  return listOf(body).flatMap((event) => {
    const name = textAt(event, 'event');
    const references = [textAt(event, 'CustomID')];
    if (name === 'spam') return [complaint('', references)];
    if (name !== 'bounce' && name !== 'blocked') return [];
    const error = textAt(event, 'error');
    const said = entryOf(errors, error) ?? 'unknown';
    // Without a server's reply, the error is a word of a list, not a text to be judged.
    return said === 'none'
      ? []
      : [failure({ id: '', diagnostic: textAt(event, 'comment') || error, said, references })];
  });
}
