/** Why an address cannot be in MAIL FROM or RCPT TO; undefined if it can. */
export function pathProblem(address: string, utf8: boolean): string | undefined {
  // Characters that could end the path or the command line; refused whatever their origin.
  if (/[\x00-\x20<>\x7f]/.test(address)) return 'The address contains a character that SMTP does not allow';
  if (!/.@./.test(address)) return 'The address has no local part or no domain';
  if (Buffer.byteLength(address) > 254) return 'The address is longer than 254 bytes';
  if (!utf8 && /[^\x00-\x7f]/.test(address)) return 'The relay does not accept addresses outside ASCII';
  return undefined;
}

/**
 * Whether every line end is CRLF. A lone CR or LF enables SMTP smuggling, so such a message is never written. The
 * message must end with CRLF.
 */
export function hasOnlyCrlf(message: Buffer): boolean {
  let from = 0;
  for (;;) {
    const cr = message.indexOf(13, from);
    const lf = message.indexOf(10, from);
    if (cr < 0 && lf < 0) return from === message.length;
    if (lf !== cr + 1 || cr < 0) return false;
    from = lf + 1;
  }
}

const lineDot = Buffer.from('\r\n.');

/** The message with dots doubled at line starts (RFC 5321 section 4.5.2); the same buffer if there are none. */
export function stuffDots(message: Buffer): Buffer {
  if (message[0] !== 46 && message.indexOf(lineDot) < 0) return message;
  const pieces: Buffer[] = message[0] === 46 ? [message.subarray(0, 1)] : [];
  let from = 0;
  for (let at = message.indexOf(lineDot); at >= 0; at = message.indexOf(lineDot, from)) {
    pieces.push(message.subarray(from, at + 3));
    from = at + 2;
  }
  pieces.push(message.subarray(from));
  return Buffer.concat(pieces);
}
