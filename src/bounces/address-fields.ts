/**
 * The header fields in which the parser reads addresses. It accepts a byte order mark, spaces, and a colon on the next
 * line of the field.
 */
const addressField = /^(\xef\xbb\xbf)?\s*(from|sender|reply-to|to|cc|bcc|delivered-to|return-path)\s*(:|$)/i;

/**
 * A message without these fields. A report's addresses are not used, and a hostile field of 250 kB (`: : : :`) blocks
 * the parser for half a second.
 */
export function withoutAddressFields(raw: Uint8Array): Uint8Array {
  const source = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const kept: Buffer[] = [];
  let isDropped = false;
  let at = 0;
  while (at < source.length) {
    const lineEnd = source.indexOf('\n', at);
    const next = lineEnd < 0 ? source.length : lineEnd + 1;
    const line = source.toString('latin1', at, next);
    if (/^\r*\n?$/.test(line)) break;
    // A line that starts with a space continues the field before; the first line has none before it.
    if (at === 0 || !/^[ \t]/.test(line)) isDropped = addressField.test(line);
    if (!isDropped) kept.push(source.subarray(at, next));
    at = next;
  }
  return Buffer.concat([...kept, source.subarray(at)]);
}
