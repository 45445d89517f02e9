/** Relaxed canonical forms of RFC 6376 section 3.4: changes by relays that do not break a signature. */

const space = 32;
const tab = 9;
const cr = 13;
const lf = 10;

/**
 * A body in relaxed form: without white space at line ends, runs of white space as one space, without empty lines at
 * the end.
 * @param body with CRLF line ends.
 */
export function relaxedBody(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  // The end of the last line with content, after its CRLF.
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

/** A header field in relaxed form, without its line end: `name:value`. */
export function relaxedHeader(name: string, value: string): string {
  const unfolded = value.replace(/\r\n(?=[ \t])/g, '').replace(/[ \t]+/g, ' ');
  return `${name.toLowerCase().trim()}:${unfolded.trim()}`;
}

/**
 * The header fields of a message in their order, unchanged: a value is the text after the colon, folds included,
 * without the last line end. `headers` is CRLF text; bytes are latin1 characters.
 */
export function headerFields(headers: Buffer) {
  const fields: { name: string; value: string }[] = [];
  for (const field of headers.toString('latin1').split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.push({ name: field.slice(0, colon), value: field.slice(colon + 1) });
  }
  return fields;
}
