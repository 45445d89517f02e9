import { type FileHandle, open } from 'node:fs/promises';
import { ignoreMissing, type SpoolFile } from './hit-spool.ts';
import { fromLine, type SpoolRecord } from './spool-record.ts';

/** What is read at once, some 7,000 hits: bounds memory, and the time for which the reading holds up requests. */
const pieceBytes = 1024 ** 2;
/** No line of ours comes near it. A file that holds a longer one is not ours to read, and must not fill memory. */
const maxLineBytes = 64 * 1024 ** 2;
const newLine = 0x0a;

/** A file that cannot be read to its end. */
export class UnreadableSpool extends Error {}

/** Records that stand together in a file. */
export interface SpoolPiece {
  readonly records: readonly SpoolRecord[];
  /** Whole lines among them, with their ends, that are no records. */
  readonly others: readonly string[];
  /** Bytes of the file up to their end. */
  readonly end: number;
}

/**
 * The records of a file in their order, in pieces, from a piece's end on. A last line without its end is omitted: a
 * crash cut it, and it was never acknowledged.
 * @throws UnreadableSpool
 */
export async function* readSpool({ path, bytes }: SpoolFile, from: number): AsyncGenerator<SpoolPiece> {
  const handle = await open(path, 'r').catch(ignoreMissing);
  // Another process took the file, and stores it.
  if (!handle) return;
  try {
    let start = from;
    while (start < bytes) {
      const lines = await readLines(handle, start, bytes);
      if (!lines) return;
      start += lines.length;
      yield { ...recordsOf(lines), end: start };
    }
  } finally {
    await handle.close();
  }
}

function recordsOf(lines: Buffer): Pick<SpoolPiece, 'records' | 'others'> {
  const records: SpoolRecord[] = [];
  const others: string[] = [];
  for (const line of lines.toString('utf8', 0, lines.length - 1).split('\n')) {
    const record = fromLine(line);
    if (record) records.push(record);
    else others.push(`${line}\n`);
  }
  return { records, others };
}

/** Whole lines from `start` on, about a piece of them; undefined when there is no whole line. */
async function readLines(handle: FileHandle, start: number, end: number): Promise<Buffer | undefined> {
  for (let size = pieceBytes; size <= maxLineBytes; size *= 2) {
    const wanted = Math.min(size, end - start);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(wanted), position: start });
    const last = buffer.lastIndexOf(newLine, bytesRead - 1);
    if (bytesRead > 0 && last >= 0) return buffer.subarray(0, last + 1);
    if (bytesRead < wanted || wanted < size) return undefined;
  }
  throw new UnreadableSpool(`A line is longer than ${maxLineBytes} bytes`);
}
