import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import type { Report } from './report.ts';

const { hard, soft, autoReply, dns, spam, complaint } = bounceClasses;

/** A rule applies when everything it states fits; the first that applies decides. */
export interface BounceRule {
  readonly kind?: Report['kind'];
  /** Feedback types or DSN actions. */
  readonly actions?: readonly string[];
  /** Beginning of the enhanced status, with its last dot: `5.1.1` itself or `5.7.`. */
  readonly status?: readonly string[];
  /** Words of the diagnostic or the subject. Linear patterns only: the text comes from anybody. */
  readonly words?: RegExp;
  readonly isAutomatic?: boolean;
  /** null: the report means no bounce at all. */
  readonly is: BounceClass | null;
}

/**
 * How reports are read, most telling rule first. Status codes are those of RFC 3463 and its registry; the words are
 * what large mail systems write where the code says too little (5.0.0, 5.7.1 and plain text bounces).
 */
export const bounceRules: readonly BounceRule[] = [
  { kind: 'complaint', actions: ['not-spam', 'auth-failure'], is: null },
  { kind: 'complaint', is: complaint },
  { kind: 'dsn', actions: ['delivered', 'relayed', 'expanded', 'delayed'], is: null },

  // A full mailbox or a temporary state is soft whatever digits come before.
  { status: ['5.2.2', '4.2.2'], is: soft },
  { words: /mailbox (is )?full|over ?quota|quota exceeded|insufficient storage|boîte pleine/i, is: soft },
  { status: ['5.1.2', '5.1.10', '5.4.4', '4.4.4'], is: dns },
  {
    words:
      /(host|domain)( name)? not found|nxdomain|no such domain|unrouteable|domain does not exist|null mx/i,
    is: dns,
  },
  {
    status: ['5.7.', '5.6.', '5.0.0'],
    words:
      /spam|unsolicited|black ?list|block ?list|dnsbl|\brbl\b|reputation|policy|dmarc|spf|content (reject|block)/i,
    is: spam,
  },
  { status: ['5.1.1', '5.1.0', '5.1.3', '5.1.6', '5.2.1'], is: hard },
  {
    words: /(user|mailbox|recipient|address|account)( \S+){0,3} (unknown|not found|does ?n.t exist)/i,
    is: hard,
  },
  { words: /(mailbox|address|account)( \S+){0,3} (disabled|unavailable|invalid|inactive)/i, is: hard },
  {
    words: /(unknown|no such|invalid) (user|mailbox|recipient|address|account)|utilisateur inconnu/i,
    is: hard,
  },
  { status: ['5.7.'], is: spam },
  { status: ['4.'], is: soft },
  { kind: 'dsn', status: ['5.1.', '5.2.', '5.4.'], is: hard },
  { kind: 'dsn', is: soft },

  { kind: 'reply', isAutomatic: true, is: autoReply },
  {
    kind: 'reply',
    words: /out of (the )?office|automatic reply|absence du bureau|auto(matic)?[- ]?repl/i,
    is: autoReply,
  },
  // A person answered the return path: somebody reads the mailbox.
  { kind: 'reply', is: autoReply },
];

/** The class of a report by the first rule that applies; null when it is no bounce. */
export function classify(report: Report, rules: readonly BounceRule[] = bounceRules): BounceClass | null {
  return rules.find((rule) => applies(rule, report))?.is ?? null;
}

function applies(rule: BounceRule, report: Report): boolean {
  if (rule.kind && rule.kind !== report.kind) return false;
  if (rule.actions && !rule.actions.includes(report.action)) return false;
  if (rule.status && !rule.status.some((start) => fitsStatus(report.status, start))) return false;
  if (rule.words && !rule.words.test(`${report.subject}\n${report.diagnostic}`)) return false;
  return rule.isAutomatic === undefined || rule.isAutomatic === report.isAutomatic;
}

function fitsStatus(status: string, start: string): boolean {
  return start.endsWith('.') ? status.startsWith(start) : status === start;
}
