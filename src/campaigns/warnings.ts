import { type ContentFrame, isEmptySource } from '../contents/assemble-content.ts';
import { textOfHtml } from '../contents/text-of-html.ts';
import { organizationOf } from '../platform/organization.ts';
import type { Campaign } from './campaign.ts';
import { type FindingCode, type Found, finding } from './finding.ts';
import { messageContent } from './segment-messages.ts';

/** Facts by which receivers judge the sender of a campaign. */
export interface SenderFacts {
  /** The domain of the sender's address, in lower case. */
  readonly senderDomain: string;
  /** The domain of return paths: the host of the installation's public address. */
  readonly returnPathDomain: string;
  /** Algorithms of the DKIM keys that sign for the sender's domain. */
  readonly dkimAlgorithms: readonly string[];
}

/**
 * Warnings about the sender's domain. SPF counts for DMARC only if the return path's domain aligns with the sender's:
 * relaxed, both belong to one organizational domain of the Public Suffix List (RFC 7489, section 3.1.2).
 */
export function senderWarnings({ senderDomain, returnPathDomain, dkimAlgorithms }: SenderFacts): Found[] {
  const warnings: Found[] = [];
  const warn = (code: FindingCode, text: string, about = senderDomain) =>
    warnings.push(finding(code, text, about));
  if (dkimAlgorithms.length === 0)
    warn(
      'no_dkim_key',
      `sender domain ${senderDomain} has no DKIM key; add one for it or for a parent domain (createSendingDomain)`,
    );
  else if (!dkimAlgorithms.includes('rsa-sha256'))
    warn(
      'no_rsa_key',
      `sender domain ${senderDomain} has only an Ed25519 DKIM key, which many receivers cannot verify; add an RSA key`,
    );
  if (organizationOf(returnPathDomain) !== organizationOf(senderDomain))
    warn(
      'unaligned_return_path',
      `return path domain ${returnPathDomain} does not align with sender domain ${senderDomain} (SPF, DMARC); ` +
        'send from a domain of the same organization, or rely on DKIM',
      returnPathDomain,
    );
  return warnings;
}

/** Warnings about the text part that a campaign of HTML only gets when it is sent (sending/freeze.ts). */
export function textWarnings(campaign: Campaign, frame: ContentFrame | undefined): Found[] {
  const { html, text } = messageContent(campaign, frame);
  if (isEmptySource(html) || !isEmptySource(text)) return [];
  const made = textOfHtml(html);
  if (!('problem' in made)) return [];
  return [finding('no_text_part', `no text part can be made from the HTML: ${made.problem}`)];
}
