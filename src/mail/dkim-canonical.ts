/** Relaxed canonical forms of RFC 6376 section 3.4: what relays on the way may change without breaking a signature. */

const space = 32;
const tab = 9;
const cr = 13;
const lf = 10;

/**
 * A body in relaxed form: white space at line ends gone, runs of it one space, empty lines at the end gone.
 * @param body with CRLF line ends.
 */
export function relaxedBody(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  // Where the last line with content ends, behind its CRLF.
  let kept = 0;
  let lineStart = 0;
  let isSpace = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === space || byte === tab) {
      isSpace = true;
    } else if (byte === cr && body[at + 1] === lf) {
      isSpace = false;
      const hasContent = end > lineStart;
      out[end++] = cr;
      out[end++] = lf;
      lineStart = end;
      if (hasContent) kept = end;
      at += 1;
    } else {
      if (isSpace) out[end++] = space;
      isSpace = false;
      out[end++] = byte;
    }
  }
  if (end > lineStart) {
    out[end++] = cr;
    out[end++] = lf;
    kept = end;
  }
  return out.subarray(0, kept);
}

/** One header field in relaxed form, without its line end: `name:value`. */
export function relaxedHeader(name: string, value: string): string {
  const unfolded = value.replace(/\r\n(?=[ \t])/g, '').replace(/[ \t]+/g, ' ');
  return `${name.toLowerCase().trim()}:${unfolded.trim()}`;
}

/** One header field, not changed. */
export interface HeaderField {
  readonly name: string;
  /** As written after the colon, folds included, without the last line end. */
  readonly value: string;
}

/** The header fields of a message in their order. `headers` is CRLF text; bytes stand as latin1 characters. */
export function headerFields(headers: Buffer): HeaderField[] {
  const fields: HeaderField[] = [];
  for (const field of headers.toString('latin1').split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.push({ name: field.slice(0, colon), value: field.slice(colon + 1) });
  }
  return fields;
}
