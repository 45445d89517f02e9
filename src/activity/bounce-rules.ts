import type { BounceClass } from './bounce.ts';
import type { BounceRule, Evidence } from './bounce-evidence.ts';
import { bounceTable } from './bounce-table.ts';

/** Longest text that the rules look at, in characters. */
const maxCharacters = 10_000;

/** Returns the evidence of a relay's reply to RCPT. */
export function refusalEvidence(reply: { readonly enhanced: string; readonly text: string }): Evidence {
  return {
    kind: 'refusal',
    action: '',
    status: reply.enhanced || statusIn(reply.text),
    diagnostic: reply.text,
    isServerReply: true,
    subject: '',
  };
}

/**
 * Returns the enhanced status in a text, or '': beside a reply code, or as qmail and Cisco mark it (`#5.1.1`).
 * Elsewhere a date and a version look the same.
 */
export function statusIn(text: string): string {
  return /(?:\b[45]\d\d[ -]#?|#)([45]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? '';
}

/** Returns the class of a report or of a reply to RCPT, by the first rule that applies; null if it is not a bounce. */
export function classify(evidence: Evidence): BounceClass | null {
  return ruleFor(evidence)?.is ?? null;
}

/**
 * Returns the class of a reply to RCPT if it is about the recipient's mailbox; otherwise null. Everything else that a
 * relay may reject there (the sender, the connection, a policy) is the sender's problem, not a bounce.
 */
export function classifyMailbox(evidence: Evidence): BounceClass | null {
  const rule = ruleFor(evidence);
  return rule?.ofMailbox ? rule.is : null;
}

function ruleFor(evidence: Evidence): BounceRule | undefined {
  const words = plainWords(evidence.diagnostic);
  return bounceTable.find((rule) => applies(rule, evidence, words));
}

function applies(rule: BounceRule, evidence: Evidence, words: string): boolean {
  if (rule.kind && rule.kind !== evidence.kind) return false;
  if (rule.actions && !rule.actions.includes(evidence.action)) return false;
  if (rule.status && !rule.status.some((start) => fitsStatus(evidence.status, start))) return false;
  if (rule.serverReplyOnly && !evidence.isServerReply) return false;
  if (rule.words && !rule.words.test(words)) return false;
  return !rule.subject || rule.subject.test(evidence.subject.trimStart());
}

function fitsStatus(status: string, start: string): boolean {
  return start.endsWith('.') ? status.startsWith(start) : status === start;
}

/**
 * Returns the words without what they repeat: addresses, URLs, names of hosts, and the codes that begin each line of an
 * SMTP reply. `spam@shop.example` and `host antispam.example said` are not the server's words.
 */
function plainWords(text: string): string {
  return text
    .slice(0, maxCharacters)
    .normalize('NFC')
    .replaceAll(/[’‘`]/g, "'")
    .replaceAll(/<[^<>]*>|https?:[^\s<>]+|(?<![^\s<>])[^\s<>@]+@[\w.-]*|\bhost [^\s.]+\.[^\s]+/gi, '')
    .replaceAll(/\s+(?:[45]\d\d[- ](?:#?[45]\.\d{1,3}\.\d{1,3}\s)?\s*)?/g, ' ');
}
