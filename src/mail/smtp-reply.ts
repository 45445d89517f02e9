import { isUtf8 } from 'node:buffer';

/** A reply of a server with all its lines (RFC 5321 section 4.2.1). */
export interface Reply {
  readonly code: number;
  /** Enhanced status code (RFC 2034), for example `5.1.1`, or ''. */
  readonly enhanced: string;
  /** The lines' texts, without codes. */
  readonly lines: readonly string[];
}

/** The server violates SMTP. The connection must not be used again. */
export class SmtpProtocolError extends Error {
  override readonly name = 'SmtpProtocolError';
}

/** RFC 5321 allows 512 bytes a line; some relays send longer diagnostics. */
const maxLineBytes = 4096;
const maxLines = 100;

const CR = 13;
const LF = 10;

/** The reply's text for logs: at most 200 characters, without control characters. */
export function replyText(reply: Reply): string {
  const text = `${reply.code} ${reply.lines.join(' ')}`;
  return text.replace(/[\x00-\x1f\x7f]/g, ' ').slice(0, 200);
}

/** Splits the bytes from a server into replies; buffers at most one bounded reply. */
export class ReplyParser {
  #rest: Buffer | undefined;
  #code = 0;
  #lines: string[] = [];

  /** Whether no bytes of an unfinished reply are waiting. */
  get isEmpty(): boolean {
    return this.#rest === undefined && this.#lines.length === 0;
  }

  /**
   * Returns the replies that this chunk completes.
   * @throws SmtpProtocolError for a line that is not an SMTP reply or is too long, and for too many lines.
   */
  feed(chunk: Buffer): Reply[] {
    const data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    const replies: Reply[] = [];
    let from = 0;
    for (;;) {
      const end = data.indexOf(LF, from);
      if (end < 0) break;
      // A bare LF also ends a line: this only reads, so nothing can be smuggled through it.
      const stop = end > from && data[end - 1] === CR ? end - 1 : end;
      if (stop - from > maxLineBytes) throw new SmtpProtocolError('The reply has a line that is too long');
      const line = data.subarray(from, stop);
      // UTF-8, as servers with French or German texts use it; otherwise Latin-1, in which all bytes are valid.
      const reply = this.#line(line.toString(isUtf8(line) ? 'utf8' : 'latin1'));
      if (reply) replies.push(reply);
      from = end + 1;
    }
    if (data.length - from > maxLineBytes)
      throw new SmtpProtocolError('The reply has a line that is too long');
    // Copied, so that a few waiting bytes do not keep a large chunk in memory.
    this.#rest = from < data.length ? Buffer.from(data.subarray(from)) : undefined;
    return replies;
  }

  #line(line: string): Reply | undefined {
    const match = /^([2-5]\d\d)(?:([ -])(.*))?$/s.exec(line);
    if (!match) throw new SmtpProtocolError('The reply is not SMTP');
    const code = Number(match[1]);
    if (this.#lines.length > 0 && code !== this.#code) {
      throw new SmtpProtocolError('The lines of one reply have different codes');
    }
    this.#code = code;
    this.#lines.push(match[3] ?? '');
    if (match[2] === '-') {
      if (this.#lines.length >= maxLines) throw new SmtpProtocolError('The reply has too many lines');
      return undefined;
    }
    const lines = this.#lines;
    this.#lines = [];
    return { code, enhanced: enhancedOf(code, lines[0] ?? ''), lines };
  }
}

function enhancedOf(code: number, text: string): string {
  const match = /^([245])\.(\d{1,3})\.(\d{1,3})(?:\s|$)/.exec(text);
  return match && Number(match[1]) === Math.floor(code / 100) ? `${match[1]}.${match[2]}.${match[3]}` : '';
}
