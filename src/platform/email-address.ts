import { normaliseDomain } from './host-name.ts';

/** The longest address that fits an SMTP path (RFC 5321, 4.5.3.1.3 with erratum 1690). */
export const maxEmailLength = 254;

// The dot-atom of RFC 5322. Quoted local parts are refused: they are practically unused, and carry spaces and “@” into
// commands and headers. Addresses with a local part outside ASCII need SMTPUTF8 at every hop and are refused too.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
// An encoded word (RFC 2047) is a dot-atom, too. Programs that decode headers before they read addresses would find
// another address in it, and another recipient.
const encodedWord = /=\?.*\?=/;

/** Normalises an address: trimmed, the domain in lower-case ASCII (IDNA). @returns undefined if it is invalid */
export function normaliseEmail(text: string): string | undefined {
  // Four times the limit leaves room for spaces around it and for domains that IDNA makes shorter.
  if (text.length > 4 * maxEmailLength) return undefined;
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at);
  if (at < 1 || local.length > 64 || !localPart.test(local) || encodedWord.test(local)) return undefined;
  const domain = normaliseDomain(trimmed.slice(at + 1));
  if (!domain || local.length + 1 + domain.length > maxEmailLength) return undefined;
  return `${local}@${domain}`;
}

/** The domain of an address, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
