import type { BounceClass } from './bounce.ts';

/** A statement about a message of ours, by a mail system, a machine or a person. */
export interface Evidence {
  /**
   * dsn: a delivery report (RFC 3464); complaint: RFC 5965 or a provider's own form; notice: a mail system's message
   * without a machine-readable part; reply: any other message to the return path, from a person or a program; refusal:
   * a relay's permanent (5xx) reply to RCPT.
   */
  readonly kind: 'dsn' | 'complaint' | 'notice' | 'reply' | 'refusal';
  /** RFC 3464 action in lower case, or the RFC 5965 feedback type; '' for the other kinds. */
  readonly action: string;
  /** Enhanced status (RFC 3463), for example `5.1.1`; '' if none is given. */
  readonly status: string;
  /** The system's own words: the diagnostic code, the SMTP reply, or the text above any quoted message. */
  readonly diagnostic: string;
  /** Whether `diagnostic` is a single SMTP reply or diagnostic code. If not, it is the text of a whole message. */
  readonly isServerReply: boolean;
  readonly subject: string;
}

/** A rule applies if everything that it states fits. The first rule that applies decides. */
export interface BounceRule {
  readonly kind?: Evidence['kind'];
  /** Feedback types or DSN actions. */
  readonly actions?: readonly string[];
  /** Enhanced statuses: a whole one (`5.1.1`), or a beginning with its last dot (`5.7.`). */
  readonly status?: readonly string[];
  /** Words of the diagnostic, whose whitespace is single spaces. Linear patterns only: the text is hostile. */
  readonly words?: RegExp;
  /** The words count only in a single SMTP reply or diagnostic code: in a whole message they are too common. */
  readonly serverReplyOnly?: boolean;
  /** Beginning of the subject. Only for rules that mark no subscriber: subjects may repeat ours. */
  readonly subject?: RegExp;
  /** null: no bounce at all. */
  readonly is: BounceClass | null;
  /** The rule is about the recipient's mailbox. Only such rules make a bounce of a reply to RCPT. */
  readonly ofMailbox?: true;
  /** Document that defines the code or uses the words. */
  readonly source: string;
}
