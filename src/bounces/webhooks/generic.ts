import { listOf, textAt } from './json.ts';
import { complaint, failure, type ProviderReport, reply, type SaidClass } from './provider-report.ts';

const classes: ReadonlySet<string> = new Set<SaidClass>(['hard', 'soft', 'dns', 'spam']);

/**
 * Reads one event in the form of the guide, or a list of them: `type` is `message.bounced`, `message.complained` or
 * `message.replied`, and `data.message` is the value of the message's header `X-Facteur-Message`.
 */
export function readGeneric(body: unknown): ProviderReport[] {
  return listOf(body).flatMap((event) => {
    const id = textAt(event, 'data', 'id');
    const references = [textAt(event, 'data', 'message')];
    const diagnostic = textAt(event, 'data', 'diagnostic');
    switch (textAt(event, 'type')) {
      case 'message.complained':
        return [complaint(id, references, textAt(event, 'data', 'feedbackType') || 'abuse')];
      case 'message.replied':
        return [reply(id, references, diagnostic)];
      case 'message.bounced': {
        const name = textAt(event, 'data', 'class');
        const said = classes.has(name) ? (name as SaidClass) : 'unknown';
        return [failure({ id, status: textAt(event, 'data', 'status'), diagnostic, said, references })];
      }
      default:
        return [];
    }
  });
}
