import PostalMime from 'postal-mime';
import type { Evidence } from '../activity/bounce-rules.ts';
import { withoutAddressFields } from './address-fields.ts';
import { noClaims, type SignedClaims, signedClaims } from './signed-claims.ts';

/** What a message to a return path says, reduced to what the rules look at. */
export interface Report extends Evidence {
  /** dsn: RFC 3464; complaint: RFC 5965; reply: anything else, from a mail system or a person. */
  readonly kind: 'dsn' | 'complaint' | 'reply';
  /** The report's own Message-ID; '' when absent. */
  readonly messageId: string;
}

/** A report with its claims, for one that came to an address which names nobody. */
export interface ReceivedReport extends Report, SignedClaims {}

/** Longest text of a reply that the rules look at, in characters. */
const maxText = 10_000;
const maxParts = 20;
/**
 * What is read of a message: its notification and its report come first, and the message that was sent, of which
 * nothing is read but its head, fills the rest. The parser takes some 10 µs a line, so 2 MB of empty lines would hold
 * the process, and everything that it sends and answers, for 20 s.
 */
const maxLines = 2_000;
/** Lines that may part a message: boundaries, a signature, a quotation. Each can cost the parser three times a line. */
const maxDashed = 500;
const maxBytes = 512 * 1024;
const dash = 0x2d;
/** The message that a report is about, or its head alone (RFC 6522, 6533). */
const enclosed = /^(message\/(rfc822|global)|(text|message)\/(rfc822|global)-headers)$/;

/**
 * Reads a message that came to a return path. It comes from outside: sizes and depth are bounded (what is longer is
 * read up to there), and nothing in it is trusted beyond what it says about itself.
 * @throws Error when it is nested too deep or is not a message.
 */
export async function readReport(raw: Uint8Array): Promise<ReceivedReport> {
  const email = await new PostalMime({
    // Without this the parser would merge the returned message's text into the report's.
    forceRfc822Attachments: true,
    maxNestingDepth: 20,
    maxHeadersSize: 256 * 1024,
  }).parse(withoutAddressFields(beginningOf(raw)));
  const part = (type: RegExp) => {
    const found = email.attachments.slice(0, maxParts).find((one) => type.test(one.mimeType));
    return found && textOf(found.content);
  };
  const claims = (text: string) => signedClaims(text, headOf(part(enclosed) ?? ''));
  const from = { subject: email.subject ?? '', messageId: email.messageId ?? '' };
  const text = ownWords(email.text ?? '');

  const feedback = part(/^message\/feedback-report$/);
  if (feedback !== undefined) {
    const fields = readFields(feedback).flat();
    return {
      ...from,
      kind: 'complaint',
      action: field(fields, 'feedback-type').toLowerCase(),
      status: '',
      diagnostic: text.slice(0, 500),
      ...claims(feedback),
    };
  }
  // Some systems send the global variant for internationalised mail (RFC 6533).
  const delivery = part(/^message\/(global-)?delivery-status$/);
  if (delivery !== undefined) return { ...from, ...deliveryStatus(delivery, text), ...claims(delivery) };
  // Beside a reply code only, or as qmail marks it: a date (4.11.25) and a version look the same.
  const status = /(?:\b[45]\d\d[ -]|#)([45]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? '';
  return { ...from, kind: 'reply', action: '', status, diagnostic: text, ...noClaims };
}

/** The whole lines within `maxLines`, `maxDashed` and `maxBytes`. */
function beginningOf(raw: Uint8Array): Uint8Array {
  let end = 0;
  let dashed = 0;
  for (let lines = 0; lines < maxLines; lines++) {
    if (raw[end] === dash && raw[end + 1] === dash && ++dashed > maxDashed) break;
    const lineEnd = raw.indexOf(0x0a, end);
    if (lineEnd < 0 && raw.length <= maxBytes) return raw;
    if (lineEnd < 0 || lineEnd >= maxBytes) break;
    end = lineEnd + 1;
  }
  return raw.subarray(0, end || maxBytes);
}

/** The recipient's group of a delivery report: the groups are parted by empty lines, the first is about the message. */
function deliveryStatus(text: string, words: string) {
  const group = readFields(text).find((fields) => field(fields, 'action') !== '') ?? [];
  // `smtp; 550 5.1.1 unknown`: the type before the semicolon says nothing more.
  const diagnostic = field(group, 'diagnostic-code').replace(/^[\w.-]+\s*;\s*/, '');
  return {
    kind: 'dsn' as const,
    action: field(group, 'action').toLowerCase(),
    status: /[245]\.\d{1,3}\.\d{1,3}/.exec(field(group, 'status'))?.[0] ?? '',
    diagnostic: diagnostic || words.slice(0, 500),
  };
}

type Field = readonly [name: string, value: string];

/** Groups of header-like fields, folded lines joined. */
function readFields(text: string): Field[][] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((group) =>
      group
        .replaceAll(/\n[ \t]+/g, ' ')
        .split('\n')
        .flatMap((line): Field[] => {
          const colon = line.indexOf(':');
          return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]] : [];
        }),
    );
}

function field(fields: readonly Field[], name: string): string {
  return fields.find(([key]) => key === name)?.[1] ?? '';
}

/** A message's head: its body may quote messages to others, and what stands there decides nothing. */
function headOf(message: string): string {
  const end = /\r?\n\r?\n/.exec(message)?.index;
  return message.slice(0, end);
}

function textOf(content: ArrayBuffer | Uint8Array | string): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** Lines after which a bounce or a reply quotes the message that was sent; in many languages. */
const quoteStart = new RegExp(
  [
    '^-{2,} ?(original message|message d.origine|below this line|returned message|this is a copy)',
    '^-{2,} ?the (header|body) of',
    '^>',
    '^(from|de|von|da|van)\\s?: .*\\n(sent|envoyé|gesendet|enviado|inviato|verzonden|date|datum|data|fecha)( el)?\\s?:',
    '^(on|le|am|el|il|op) .{1,300}(wrote|a écrit|escribió|ha scritto|schreef)\\s?:$',
    '^am .{1,200} schrieb .{1,200}:$',
  ].join('|'),
  'im',
);
/** What a notification repeats of the message's head. */
const subjectLine = /^(subject|objet|betreff|asunto|oggetto|onderwerp)\s?:.*$/gim;

/** The text that the sender of the report wrote himself: our own message in it must never decide. */
function ownWords(text: string): string {
  const bounded = text.slice(0, maxText);
  const quote = quoteStart.exec(bounded);
  return (quote ? bounded.slice(0, quote.index) : bounded).replaceAll(subjectLine, '');
}
