import { domainToASCII } from 'node:url';

/** The longest address that fits an SMTP path (RFC 5321, 4.5.3.1.3 with erratum 1690). */
export const maxEmailLength = 254;

// The dot-atom of RFC 5322. Quoted local parts are refused: nobody has one, and they carry spaces and «@» into
// commands and headers. Addresses with a local part outside ASCII need SMTPUTF8 at every hop and are refused too.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * An email address as it is kept: trimmed, the domain lower-cased and in ASCII (IDNA); the local part as written.
 * @returns undefined when it is not an address that mail can be sent to. Time is linear in the text's length.
 */
export function normaliseEmail(text: string): string | undefined {
  // Four times the limit leaves room for spaces around it and for domains that IDNA makes shorter.
  if (text.length > 4 * maxEmailLength) return undefined;
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at);
  if (at < 1 || local.length > 64 || !localPart.test(local)) return undefined;
  const domain = normaliseDomain(trimmed.slice(at + 1));
  if (!domain || local.length + 1 + domain.length > maxEmailLength) return undefined;
  return `${local}@${domain}`;
}

/** The domain of an address, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** A domain name lower-cased and in ASCII, or undefined when it is not one of at least two labels. */
function normaliseDomain(text: string): string | undefined {
  const domain = asciiOf(text);
  const labels = domain.split('.');
  const isName = labels.length >= 2 && labels.every((one) => one.length <= 63 && label.test(one));
  // A last label of digits would be an IP address.
  return isName && !/^\d+$/.test(labels.at(-1)!) ? domain : undefined;
}

function asciiOf(text: string): string {
  // domainToASCII follows the URL standard: it would also decode %41, read 0x7f.1 as an IP address and cut at «/».
  if (/[\0-\x20\x7f"#%/:;<>?@[\\\]^_`{|}]/.test(text)) return '';
  const lower = text.toLowerCase();
  return /^[a-z0-9.-]*$/.test(lower) && !lower.includes('xn--') ? lower : domainToASCII(text);
}
