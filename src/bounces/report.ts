import { decodeHTML } from 'entities';
import PostalMime from 'postal-mime';
import type { Evidence } from '../activity/bounce-evidence.ts';
import { statusIn } from '../activity/bounce-rules.ts';
import { withoutAddressFields } from './address-fields.ts';
import { type Origin, originOf } from './report-origin.ts';
import { noClaims, type SignedClaims, signedClaims } from './signed-claims.ts';

/** A message to a return path, reduced to the properties that the rules use. */
export interface Report extends Evidence {
  readonly kind: Exclude<Evidence['kind'], 'refusal'>;
  /** The report's own Message-ID; '' if absent. */
  readonly messageId: string;
}

/** A report with its claims, for an address without a recipient. */
export interface ReceivedReport extends Report, SignedClaims {
  /** Whether it has another message attached and is not from a mail system. To a feedback loop, that is a complaint. */
  readonly isForwarded: boolean;
}

/** The circumstances of a report's arrival. */
export interface Arrival {
  /** Whether the envelope has the null sender (`MAIL FROM:<>`), as reports of mail systems have (RFC 5321 4.5.5). */
  readonly isNullSender: boolean;
}

/** Maximum length of a reply's text for the rules, in characters. */
const maxText = 10_000;
const maxParts = 20;
/**
 * Maximum number of lines that are read. The notification and the report come first; the rest is the returned message,
 * of which only the head is used. The parser takes about 10 µs a line, so 2 MB of empty lines would block the process
 * for 20 s.
 */
const maxLines = 2_000;
/**
 * Maximum number of lines that may separate parts: boundaries, a signature, a quotation. Each can cost three times as
 * much.
 */
const maxDashed = 500;
const maxBytes = 512 * 1024;
const dash = 0x2d;
/** The returned message, or its head alone (RFC 6522, 6533). */
const enclosed = /^(message\/(rfc822|global)|(text|message)\/(rfc822|global)-headers)$/;

/**
 * Reads a message to a return path. It comes from outside: sizes and depth are limited (the excess is not read), and it
 * is trusted only about itself.
 * @throws Error when it is nested too deep or is not a message.
 */
export async function readReport(raw: Buffer, arrival: Arrival): Promise<ReceivedReport> {
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
  const original = part(enclosed);
  const claims = (text: string) => signedClaims(text, headOf(original ?? ''));
  const subject = email.subject ?? '';
  const origin = originOf(raw, subject, arrival.isNullSender);
  const from = { subject, messageId: email.messageId ?? '', isForwarded: false };
  const written = email.text || plainText(email.html ?? '');

  const feedback = part(/^message\/feedback-report$/);
  if (feedback !== undefined) {
    const fields = readFields(feedback).flat();
    const action = field(fields, 'feedback-type').toLowerCase();
    const diagnostic = ownWords(written, origin).slice(0, 500);
    const said = { action, status: '', diagnostic, isServerReply: false };
    return { ...from, kind: 'complaint', ...said, ...claims(feedback) };
  }
  // Some systems send the global variant for internationalised mail (RFC 6533).
  const delivery = part(/^message\/(global-)?delivery-status$/);
  if (delivery !== undefined) {
    const said = deliveryStatus(delivery, ownWords(written, 'mailSystem'));
    return { ...from, kind: 'dsn', ...said, ...claims(delivery) };
  }
  const text = ownWords(written, origin);
  const said =
    origin === 'mailSystem' ? serverWords(text) : { status: '', diagnostic: text, isServerReply: false };
  const isForwarded = origin !== 'mailSystem' && original !== undefined;
  const kind = origin === 'mailSystem' ? 'notice' : 'reply';
  return { ...from, kind, action: '', ...said, ...(isForwarded ? claims('') : noClaims), isForwarded };
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

/**
 * Returns the fields of a delivery report about its recipient. Groups of fields are separated by empty lines; the first
 * is about the message. A vague status (5.0.0) is replaced by that of the server's reply, if any.
 */
function deliveryStatus(report: string, text: string) {
  const groups = readFields(report).filter((fields) => field(fields, 'action') !== '');
  const actionOf = (fields: readonly Field[]) => /^[\w-]*/.exec(field(fields, 'action').toLowerCase())![0];
  const group = groups.find((fields) => actionOf(fields) === 'failed') ?? groups[0] ?? [];
  const code = /[245]\.\d{1,3}\.\d{1,3}/.exec(field(group, 'status'))?.[0] ?? '';
  // `smtp; 550 5.1.1 unknown`: the type before the semicolon adds nothing.
  const diagnostic = field(group, 'diagnostic-code').replace(/^[\w.-]+\s*;\s*/, '');
  const said = diagnostic
    ? { status: statusIn(diagnostic), diagnostic, isServerReply: true }
    : serverWords(text.slice(0, 2_000));
  const status = /^$|^[25]\.0\.0$/.test(code) ? said.status || code : code;
  return { ...said, action: actionOf(group), status };
}

/**
 * The start of an SMTP reply within a text: at the beginning of a line or after punctuation, as mail systems quote it.
 * Elsewhere three digits are just a number.
 */
const smtpReply =
  /(?:^[\s<>*-]{0,20}|[:;("'=] ?)((?:4[2357]|5[02-57])\d(?:[ -]#?[45]\.\d{1,3}\.\d{1,3}\b|[ -])(?=\s*\S))/m;

/** Returns the SMTP reply that a mail system's text quotes, up to the end of its paragraph, or the whole text. */
function serverWords(text: string) {
  const found = smtpReply.exec(text);
  if (!found) return { status: statusIn(text), diagnostic: text, isServerReply: false };
  const [paragraph = ''] = text.slice(found.index + found[0].length - found[1]!.length).split(/\n\s*\n/, 1);
  const diagnostic = paragraph.trim().slice(0, 1_000);
  // A reply without an enhanced status still shows whether it is temporary.
  const status = statusIn(diagnostic) || (diagnostic.startsWith('4') ? '4.0.0' : '');
  return { status, diagnostic, isServerReply: true };
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

/** A message's head: its body may quote other messages, which must not decide. */
function headOf(message: string): string {
  const end = /\r?\n\r?\n/.exec(message)?.index;
  return message.slice(0, end);
}

function textOf(content: ArrayBuffer | Uint8Array | string): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

function plainText(html: string): string {
  const visible = html.slice(0, 4 * maxText).replaceAll(/<(?:style|script|title)\b[^<]*/gi, '');
  return decodeHTML(
    visible.replaceAll(/<(?:br|\/p|\/div|\/tr|\/h\d)\b[^<>]*>/gi, '\n').replaceAll(/<[^<>]*>/g, ' '),
  );
}

/** The beginnings of quotations of the sent message in a report or a reply, in many languages. */
const quoteStart = [
  '^[-=_]{2,} ?(original message|message d.origine|below this line|this is a copy)',
  '^[-=_]{2,} ?(returned|undelivered|rejected|unsent) message',
  '^[-=_]{2,} ?(the (header|body) of|enclosed|(original |message )?headers?\\b)',
  '^(from|de|von|da|van)\\s?: .*\\n(sent|envoyé|gesendet|enviado|inviato|verzonden|date|datum|data|fecha)( el)?\\s?:',
  '^(on|le|am|el|il|op) .{1,300}(wrote|a écrit|escribió|ha scritto|schreef)\\s?:$',
  '^am .{1,200} schrieb .{1,200}:$',
];
const quoteStarts: Readonly<Record<Origin, RegExp>> = {
  // Sendmail's transcript of a session has lines that begin with `>>>`.
  mailSystem: new RegExp([...quoteStart, '^>(?!>>)'].join('|'), 'im'),
  automatic: new RegExp([...quoteStart, '^>'].join('|'), 'im'),
  sender: new RegExp([...quoteStart, '^>'].join('|'), 'im'),
};
/** The subject of the sent message, repeated in a notification. */
const subjectLine = /^\s*(subject|objet|betreff|asunto|oggetto|onderwerp)\s?:.*$/gim;

/** Returns the text of the report's author: a quoted message must never decide. */
function ownWords(text: string, origin: Origin): string {
  const bounded = text.slice(0, maxText).replaceAll('\r\n', '\n');
  const quote = quoteStarts[origin].exec(bounded);
  return (quote ? bounded.slice(0, quote.index) : bounded).replaceAll(subjectLine, '');
}
