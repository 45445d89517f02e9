import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** Maximum length of a DNS name (RFC 1035, 2.3.4). */
const maxNameLength = 253;
const maxLabelLength = 63;
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
// Names of containers and of Windows machines hold underscores; the names of email domains never do.
const labelOfHost = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** A domain name lower-cased and in ASCII (IDNA); undefined when it is not one of at least two labels. */
export function normaliseDomain(text: string): string | undefined {
  const domain = asciiOf(text);
  return domain.includes('.') && isName(domain, label) ? domain : undefined;
}

/**
 * Normalises the host of a connection: an IP address (brackets around IPv6 are removed), or a name of one or more
 * labels, in lower case and ASCII (IDNA), without a final dot. Returns undefined for anything else, including a host
 * with a port.
 */
export function normaliseHost(text: string): string | undefined {
  const trimmed = text.trim();
  const inBrackets = /^\[(.*)\]$/.exec(trimmed)?.[1];
  if (inBrackets !== undefined) return isIP(inBrackets) === 6 ? inBrackets.toLowerCase() : undefined;
  if (isIP(trimmed) !== 0) return trimmed.toLowerCase();
  const name = asciiOf(trimmed.replace(/\.$/, ''));
  return isName(name, labelOfHost) ? name : undefined;
}

/** A last label of digits, or of what counts as a number in an address, would make an IP address of the whole. */
function isName(name: string, form: RegExp): boolean {
  const labels = name.split('.');
  if (name.length > maxNameLength || /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1)!)) return false;
  return labels.every((one) => one.length <= maxLabelLength && form.test(one));
}

function asciiOf(text: string): string {
  // A thousand characters in front of IDNA's own cost are no name.
  if (text.length > 4 * maxNameLength) return '';
  // domainToASCII follows the URL standard: it would also decode %41, read 0x7f.1 as an IP address and cut at “/”.
  if (/[\0-\x20\x7f"#%/:;<>?@[\\\]^`{|}]/.test(text)) return '';
  const lower = text.toLowerCase();
  return /^[a-z0-9._-]*$/.test(lower) && !lower.includes('xn--') ? lower : domainToASCII(text);
}
