import { statusIn } from '../../activity/bounce-rules.ts';
import type { Report } from '../report.ts';
import { type SignedClaims, signedClaims } from '../signed-claims.ts';

/** A provider's report on one message, in the form in which reports by SMTP are counted. */
export type ProviderReport = Report & SignedClaims;

/** The provider's own class of a failure. It decides only where neither a status nor the server's words do. */
export type SaidClass = 'hard' | 'soft' | 'dns' | 'spam' | 'unknown';

/** Status by which `bounce-table.ts` gives each class. */
const statusOf: Readonly<Record<SaidClass, string>> = {
  hard: '5.1.1',
  soft: '4.0.0',
  dns: '5.1.2',
  spam: '5.7.1',
  unknown: '',
};

/** Longest diagnostic that is looked at, in characters. */
const maxDiagnostic = 4_000;

export interface Failure {
  /** The provider's own id of the report; '' if it has none. */
  readonly id: string;
  /** Enhanced status that the provider gives; '' if it has none. */
  readonly status?: string;
  /** Reply of the recipient's server. */
  readonly diagnostic: string;
  readonly said: SaidClass;
  /** Texts that may hold the message's reference, the surest first. */
  readonly references: readonly string[];
}

/**
 * Returns a failed delivery. A status that says nothing (5.0.0) is replaced by that of the server's reply, and where
 * this has none, by that of the class that the provider gives.
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
    // Providers put words of their own where no server replied.
    isServerReply: /^\D{0,30}[45]\d\d[ -]/.test(text),
    subject: '',
    messageId: id,
    ...signedClaims(...references),
  };
}

/** Returns a complaint. @param feedbackType RFC 5965's, in any case: not every one is a complaint. */
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
