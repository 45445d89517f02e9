/**
 * The fields of a message's head in which the parser reads addresses. A byte order mark, spaces, and a colon that is
 * on the next line of the field change nothing for it.
 */
const addressField = /^(\xef\xbb\xbf)?\s*(from|sender|reply-to|to|cc|bcc|delivered-to|return-path)\s*(:|$)/i;

/**
 * A message without these fields. Of a report nobody reads them, and a hostile one of 250 kB (`: : : :`) holds the
 * parser for half a second.
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
    // What begins with a blank continues with the field before; the first line has none before it.
    if (at === 0 || !/^[ \t]/.test(line)) isDropped = addressField.test(line);
    if (!isDropped) kept.push(source.subarray(at, next));
    at = next;
  }
  return Buffer.concat([...kept, source.subarray(at)]);
}
