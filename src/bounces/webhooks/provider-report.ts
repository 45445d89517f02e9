import { statusIn } from '../../activity/bounce-rules.ts';
import type { Report } from '../report.ts';
import { type SignedClaims, signedClaims } from '../signed-claims.ts';

/** A provider's report on one message, in the form of reports by SMTP. */
export type ProviderReport = Report & SignedClaims;

/** The provider's own class of a failure. It decides only if neither a status nor the server's reply does. */
export type SaidClass = 'hard' | 'soft' | 'dns' | 'spam' | 'unknown';

/** The status by which `bounce-table.ts` gives each class. */
const statusOf: Readonly<Record<SaidClass, string>> = {
  hard: '5.1.1',
  soft: '4.0.0',
  dns: '5.1.2',
  spam: '5.7.1',
  unknown: '',
};

/** Maximum length of a diagnostic, in characters. */
const maxDiagnostic = 4_000;

export interface Failure {
  /** The provider's own id of the report; '' if it has none. */
  readonly id: string;
  /** Enhanced status from the provider; '' if it has none. */
  readonly status?: string;
  /** The reply of the recipient's server. */
  readonly diagnostic: string;
  readonly said: SaidClass;
  /** Texts that may contain the message's reference, the most reliable first. */
  readonly references: readonly string[];
}

/**
 * Returns a failed delivery. A vague status (5.0.0) is replaced by that of the server's reply, or else by that of the
 * provider's class.
 */
export function failure({ id, status = '', diagnostic, said, references }: Failure): ProviderReport {
  const text = diagnostic.slice(0, maxDiagnostic).replace(/^(?:smtp|x-[\w-]+);\s*/i, '');
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : '';
  const isVague = /^$|^[25]\.0\.0$/.test(code);
  return {
    kind: 'dsn',
    action: 'failed',
    status: isVague ? statusIn(text) || statusOf[said] : code,
    diagnostic: text,
    // Providers add their own text if no server replied.
    isServerReply: /^\D{0,30}[45]\d\d[ -]/.test(text),
    subject: '',
    messageId: id,
    ...signedClaims(...references),
  };
}

/** Returns a complaint. @param feedbackType of RFC 5965, in any case: not every type is a complaint. */
export function complaint(id: string, references: readonly string[], feedbackType = 'abuse'): ProviderReport {
  return {
    ...empty,
    kind: 'complaint',
    action: feedbackType.toLowerCase(),
    messageId: id,
    ...signedClaims(...references),
  };
}

/** Returns an automatic reply, or another message of the mailbox's owner: the message arrived. */
export function reply(id: string, references: readonly string[], diagnostic: string): ProviderReport {
  const text = diagnostic.slice(0, maxDiagnostic);
  return { ...empty, kind: 'reply', diagnostic: text, messageId: id, ...signedClaims(...references) };
}

const empty = { action: '', status: '', diagnostic: '', isServerReply: false, subject: '' } as const;
