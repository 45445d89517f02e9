import { type BounceClass, bounceClasses } from './bounce.ts';

const { hard, soft, autoReply, dns, spam, complaint } = bounceClasses;

/** What a mail system, or a person, says about a message of ours. */
export interface Evidence {
  /**
   * dsn: a delivery report (RFC 3464); complaint: RFC 5965; reply: another message to the return path; refusal: the
   * relay's answer to a recipient's RCPT, a 5xx.
   */
  readonly kind: 'dsn' | 'complaint' | 'reply' | 'refusal';
  /** RFC 3464 action in lower case, or the RFC 5965 feedback type; '' for a reply or a refusal. */
  readonly action: string;
  /** Enhanced status (RFC 3463), e.g. `5.1.1`; '' when none is given. */
  readonly status: string;
  /** Their own words: the diagnostic code, or the text of a reply above any quoted message. */
  readonly diagnostic: string;
  readonly subject: string;
}

/** A rule applies when everything it states fits; the first that applies decides. */
export interface BounceRule {
  readonly kind?: Evidence['kind'];
  /** Feedback types or DSN actions. */
  readonly actions?: readonly string[];
  /** Beginning of the enhanced status, with its last dot: `5.1.1` itself or `5.7.`. */
  readonly status?: readonly string[];
  /** Words of the diagnostic. Linear patterns only: the text comes from anybody. */
  readonly words?: RegExp;
  /**
   * Words of the subject, from its beginning. Only for rules that mark nobody: replies and reports repeat the subject
   * of our own message.
   */
  readonly subject?: RegExp;
  /** null: it means no bounce at all. */
  readonly is: BounceClass | null;
}

const aboutUs = new RegExp(
  [
    '\\bsender\\b|return.?path|\\bmail from\\b|\\bhelo\\b|reverse dns|\\bptr\\b|your (ip|server|domain)',
    'relay(ing)?\\b.{0,20}(denied|not permitted|not allowed|prohibited)|unable to relay|authenticat|access denied',
    'policy|spam|unsolicited|black ?list|block|dnsbl|\\brbl\\b|reputation|dmarc|\\bspf\\b|dkim',
    '\\brate\\b|too many|limit|grey ?list|temporar|try again|later',
  ].join('|'),
  'i',
);

/**
 * How reports and refusals are read, most telling rule first. Status codes are those of RFC 3463 and its registry; the
 * words are what large mail systems write where the code says too little (5.0.0, 5.7.1 and plain text bounces).
 */
export const bounceRules: readonly BounceRule[] = [
  { kind: 'complaint', actions: ['not-spam', 'auth-failure'], is: null },
  { kind: 'complaint', is: complaint },
  { kind: 'dsn', actions: ['delivered', 'relayed', 'expanded', 'delayed'], is: null },

  // What a relay answers to RCPT may be about us as well: the sender, the connection, what it takes for spam, its
  // rates. None of it says that the mailbox is not there, whatever words come with it.
  {
    kind: 'refusal',
    status: ['5.1.7', '5.1.8', '5.2.3', '5.2.4', '5.3.', '5.4.', '5.5.', '5.6.', '5.7.'],
    is: null,
  },
  { kind: 'refusal', words: aboutUs, is: null },

  // A full mailbox or a temporary state is soft whatever digits come before.
  { status: ['5.2.2', '4.2.2'], is: soft },
  { words: /mailbox (is )?full|over ?quota|quota exceeded|insufficient storage|boîte pleine/i, is: soft },
  { status: ['5.1.2', '5.1.10', '5.4.4', '4.4.4'], is: dns },
  // These say that the mailbox is not to blame, whatever words come with them: a wrong hard bounce silences a reader
  // for good. Below, words stand before codes that say less.
  { status: ['4.'], is: soft },
  { status: ['5.7.'], is: spam },
  {
    kind: 'reply',
    subject: new RegExp(
      '^(out of (the )?office|automatic reply|auto(matic)?[- ]?repl|absence du bureau|réponse automatique' +
        '|automatische antwort|abwesenheit|respuesta automática|risposta automatica|automatisch antwoord)',
      'i',
    ),
    is: autoReply,
  },
  {
    words:
      /(host|domain)( name)? not found|nxdomain|no such domain|unrouteable|domain does not exist|null mx/i,
    is: dns,
  },
  {
    status: ['5.6.', '5.0.0'],
    words:
      /spam|unsolicited|black ?list|block ?list|dnsbl|\brbl\b|reputation|policy|dmarc|spf|content (reject|block)/i,
    is: spam,
  },
  { status: ['5.1.1', '5.1.0', '5.1.3', '5.1.6', '5.2.1'], is: hard },
  // The words of RFC 5321 for each 550, «command rejected for policy reasons» among them.
  { kind: 'refusal', words: /(mailbox|account|address) (is )?unavailable/i, is: null },
  {
    words: /(user|mailbox|recipient|address|account)( \S+){0,3} (unknown|not found|does ?n.t exist)/i,
    is: hard,
  },
  { words: /(mailbox|address|account)( \S+){0,3} (disabled|unavailable|invalid|inactive)/i, is: hard },
  {
    words: /(unknown|no such|invalid) (user|mailbox|recipient|address|account)|utilisateur inconnu/i,
    is: hard,
  },
  { kind: 'dsn', status: ['5.1.', '5.2.', '5.4.'], is: hard },
  { kind: 'dsn', is: soft },

  // A program answered that the mailbox has, or a person: somebody reads it.
  { kind: 'reply', is: autoReply },
];

/** What a relay's answer to RCPT says of the mailbox; addresses that it repeats are not its words. */
export function refusalEvidence(reply: { readonly enhanced: string; readonly text: string }): Evidence {
  const diagnostic = reply.text.replaceAll(/<[^<>]*>|[^\s<>]+@[^\s<>]+/g, '');
  return { kind: 'refusal', action: '', status: reply.enhanced, diagnostic, subject: '' };
}

/** The class of a report or a refusal by the first rule that applies; null when it is no bounce. */
export function classify(report: Evidence, rules: readonly BounceRule[] = bounceRules): BounceClass | null {
  return rules.find((rule) => applies(rule, report))?.is ?? null;
}

function applies(rule: BounceRule, report: Evidence): boolean {
  if (rule.kind && rule.kind !== report.kind) return false;
  if (rule.actions && !rule.actions.includes(report.action)) return false;
  if (rule.status && !rule.status.some((start) => fitsStatus(report.status, start))) return false;
  if (rule.words && !rule.words.test(report.diagnostic)) return false;
  return !rule.subject || rule.subject.test(report.subject.trimStart());
}

function fitsStatus(status: string, start: string): boolean {
  return start.endsWith('.') ? status.startsWith(start) : status === start;
}
