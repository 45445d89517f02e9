import { isUtf8 } from 'node:buffer';
import { UsageError } from './usage.ts';

/** A password or another secret is shorter. */
const maxLineBytes = 64 * 1024;

/** The input that is piped into a command. It is read at most once. */
export interface Input {
  /** All of it, or its first bytes where it has more. */
  upTo(bytes: number): Promise<Buffer>;
  /** Returns the first line, without its end; '' if there is none. @throws UsageError if it is not text, or endless */
  firstLine(): Promise<string>;
}

/** Reads a stream that may be of any length, and of anybody's making. */
export function inputOf(stream: AsyncIterable<Buffer>): Input {
  return {
    upTo: (bytes) => readUpTo(stream, bytes),
    async firstLine() {
      const bytes = await readUpTo(stream, maxLineBytes + 1, '\n');
      if (bytes.length > maxLineBytes) throw new UsageError('The first line of stdin is too long');
      if (!isUtf8(bytes)) throw new UsageError('The first line of stdin is not written in UTF-8');
      return bytes.toString().replace(/\r$/, '');
    },
  };
}

/** Reads the first bytes of a stream: at most `max`, or up to the first line end if `until` is given. */
export async function readUpTo(stream: AsyncIterable<Buffer>, max: number, until?: '\n'): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const end = until === undefined ? -1 : chunk.indexOf(until);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    chunks.push(part);
    size += part.length;
    if (end >= 0 || size >= max) break;
  }
  return Buffer.concat(chunks).subarray(0, max);
}
