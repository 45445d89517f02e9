/** Maximum length of a line of encoded text, CRLF not counted (RFC 2045, 6.7). */
const maxLine = 76;
const equals = 0x3d;
const cr = 0x0d;
const lf = 0x0a;
const hex = Buffer.from('0123456789ABCDEF', 'latin1');

/** Maximum size of `length` encoded bytes, with all breaks. */
export const quotedPrintableBound = (length: number): number =>
  length * 3 + (Math.ceil((length * 3) / (maxLine - 3)) + 1) * 3;

/** For each byte, 1 if it needs no encoding except by the rules below. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x09 || (byte >= 0x20 && byte < 0x7f && byte !== equals) ? 1 : 0,
);

/**
 * Encodes UTF-8 bytes from column 0 and leaves the output at column 0, with a soft line break if the last line is not
 * empty, so that separately encoded pieces can be joined. Line ends of any kind become CRLF. Spaces at the end of a
 * line, a dot at its start (so nothing needs stuffing, RFC 5321 4.5.2), the F of a leading `From ` and everything
 * except printable ASCII are encoded.
 * @param to must have room for quotedPrintableBound(end - start) bytes from `at` on
 * @returns the end of the output
 */
export function encodeQuotedPrintable(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): number {
  let out = at;
  let line = at;
  for (let i = start; i < end; i++) {
    const byte = from[i]!;
    if (byte === cr || byte === lf) {
      if (byte === cr && i + 1 < end && from[i + 1] === lf) i++;
      out = hardBreak(to, line, out);
      line = out;
      continue;
    }
    const plain = out === line ? isPlainAtStart(from, i, end) : isPlain[byte] === 1;
    const columns = plain ? 1 : 3;
    // One column stays free for the `=` of a soft break.
    if (out - line + columns > maxLine - 1) {
      out = softBreak(to, out);
      line = out;
      i--;
    } else if (plain) to[out++] = byte;
    else out = encodeByte(to, out, byte);
  }
  return out === line ? out : softBreak(to, out);
}

/** Writes a soft line break; returns its end. */
export function softBreak(to: Uint8Array, at: number): number {
  to[at] = equals;
  to[at + 1] = cr;
  to[at + 2] = lf;
  return at + 3;
}

function encodeByte(to: Uint8Array, at: number, byte: number): number {
  to[at] = equals;
  to[at + 1] = hex[byte >> 4]!;
  to[at + 2] = hex[byte & 15]!;
  return at + 3;
}

function hardBreak(to: Uint8Array, line: number, out: number): number {
  const at = encodeTrailingBlank(to, line, out);
  to[at] = cr;
  to[at + 1] = lf;
  return at + 2;
}

// Relays may cut spaces at the end of a line. The line has room: its last column was kept free for a soft break, and if
// three columns are not left, the space is moved to its own line.
function encodeTrailingBlank(to: Uint8Array, line: number, out: number): number {
  const last = to[out - 1];
  if (out === line || (last !== 0x20 && last !== 0x09)) return out;
  let at = out - 1;
  if (at - line + 3 > maxLine) {
    at = softBreak(to, at);
  }
  return encodeByte(to, at, last);
}

// A leading dot would need stuffing; mailbox files quote a leading `From `.
function isPlainAtStart(from: Uint8Array, i: number, end: number): boolean {
  const byte = from[i]!;
  if (byte === 0x2e) return false;
  const isFrom =
    byte === 0x46 &&
    i + 4 < end &&
    from[i + 1] === 0x72 &&
    from[i + 2] === 0x6f &&
    from[i + 3] === 0x6d &&
    from[i + 4] === 0x20;
  return isPlain[byte] === 1 && !isFrom;
}

/** A text in quoted-printable, in a new buffer. */
export function quotedPrintable(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const encoded = Buffer.allocUnsafe(quotedPrintableBound(bytes.length));
  return Buffer.from(encoded.subarray(0, encodeQuotedPrintable(bytes, 0, bytes.length, encoded, 0)));
}
