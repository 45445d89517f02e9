import { isFailureSubject } from '../activity/bounce-table.ts';
import { headFields } from './message-head.ts';

/**
 * The author of a message without a machine-readable report. mailSystem: a mail system that reports on delivery;
 * automatic: a program that replies for the mailbox's owner; sender: anything else, usually a person.
 */
export type Origin = 'mailSystem' | 'automatic' | 'sender';

/** Local parts of mail systems that report. */
const daemons = /^(mailer[-._]?daemon|mail[-._]?daemon|mdaemon|daemon|microsoftexchange[\da-f]{32})$/;
const postmasters = /^(postmaster|post[-._]?office|mail[-._]?(admin|router|delivery|system))$/;
const absence = new RegExp(
  [
    '^(out of (the )?office|automatic reply|auto(matic)?[- ]?(repl|respon)|auto: |absen(ce|t)|abwesenheit|abwesend',
    'réponse automatique|automatische antwort|respuesta automática|risposta automatica|fuori sede',
    'automatisch antwoord)',
  ].join('|'),
  'i',
);

/**
 * Determines the author of a message by its head. Fields set by programs come first (RFC 3834 and its predecessors),
 * then the address of the author. The text is ignored: a person may write “user unknown”.
 * @param raw the whole message.
 * @param subject its decoded subject.
 * @param isNullSender whether the envelope has the null sender.
 */
export function originOf(raw: Buffer, subject: string, isNullSender: boolean): Origin {
  const fields = headFields(raw);
  const has = (name: string) => fields.some(([key]) => key === name);
  const value = (name: string) => fields.find(([key]) => key === name)?.[1].toLowerCase() ?? '';
  // Exim and Gmail name the failed recipients, and only in reports.
  if (has('x-failed-recipients')) return 'mailSystem';
  const autoSubmitted = /^[\w-]*/.exec(value('auto-submitted'))![0];
  const isAutomatic = autoSubmitted !== '' && autoSubmitted !== 'no';
  const precedence = value('precedence');
  if (repliesForOwner.some(has) || precedence === 'auto_reply' || absence.test(subject.trimStart()))
    return 'automatic';
  const author = localPartOf(value('from') || value('sender'));
  if (daemons.test(author)) return 'mailSystem';
  if (postmasters.test(author) && (isNullSender || isAutomatic)) return 'mailSystem';
  if (isAutomatic || precedence !== '')
    return isNullSender && isReportOf(autoSubmitted, subject) ? 'mailSystem' : 'automatic';
  return isNullSender && isFailureSubject(subject) ? 'mailSystem' : 'sender';
}

/** Fields of programs that reply for a mailbox's owner: vacation(1), Gmail, and autoresponders of hosts. */
const repliesForOwner = 'x-autoreply x-autoreply-from x-autorespond x-autoresponse x-mail-autoreply'.split(
  ' ',
);

/**
 * RFC 3834 5: `auto-replied` responds to a message, as absences do; a report of failure is `auto-generated` or older.
 */
function isReportOf(autoSubmitted: string, subject: string): boolean {
  return autoSubmitted !== 'auto-replied' && isFailureSubject(subject);
}

/** The local part of the first address of a field in lower case, with bounded patterns: the field is hostile. */
function localPartOf(field: string): string {
  const text = field.slice(0, 1_000);
  return (/<([^<>@\s]{1,64})[@>]/.exec(text) ?? /([^<>@\s"(,]{1,64})(?:@|$|\s)/.exec(text))?.[1] ?? '';
}
