import { decodeWords } from 'postal-mime';

/** Bytes at the start of a message in which its headers are searched. Large systems add about 20,000. */
const headBytes = 65_536;

/** The decoded subject (RFC 2047), for the mailbox's list. */
export function subjectOf(raw: Buffer): string {
  return decodeWords(valuesOf(raw, 'subject')[0] ?? '')
    .replaceAll('\0', '')
    .slice(0, 1_000);
}

/**
 * When a message expires by its header Expires (RFC 4021: a date of RFC 5322); null means never. Several headers, or an
 * invalid one, count as none, so that no message is lost by a mistake.
 */
export function expiryOf(raw: Buffer): Date | null {
  const [value, ...more] = valuesOf(raw, 'expires');
  if (value === undefined || more.length > 0 || !mailDate.test(value)) return null;
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? null : at;
}

// The current forms of dates; the obsolete ones (two-digit years, names of zones) are not accepted.
const mailDate = /^(?:[A-Z][a-z]{2}, ?)?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? [+-]\d{4}$/;

/** Returns the values of a header field by its name in lower case, unfolded, in their order. */
function valuesOf(raw: Buffer, name: string): string[] {
  return headFields(raw)
    .filter(([key]) => key === name)
    .map(([, value]) => value);
}

/** Returns the fields at the start of a message: names in lower case and values, unfolded, in their order. */
export function headFields(raw: Buffer): readonly (readonly [name: string, value: string])[] {
  const [head = ''] = raw
    .subarray(0, headBytes)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1);
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  return lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).trim()];
  });
}
