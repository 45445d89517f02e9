import { type FileHandle, open } from 'node:fs/promises';
import { ignoreMissing, type SpoolFile } from './hit-spool.ts';
import { fromLine, type SpoolRecord } from './spool-record.ts';

/** Size of a piece, about 7,000 hits: bounds the memory, and the time for which reading blocks requests. */
const pieceBytes = 1024 ** 2;
/** Maximum length of a line, far above what we write. A file with a longer one must not fill the memory. */
const maxLineBytes = 64 * 1024 ** 2;
const newLine = 0x0a;

/** A file that cannot be read to its end. */
export class UnreadableSpool extends Error {}

/** Adjacent records of a file. */
export interface SpoolPiece {
  readonly records: readonly SpoolRecord[];
  /** Lines among them, with their line ends, that are not records. */
  readonly others: readonly string[];
  /** The position in the file after them. */
  readonly end: number;
}

/**
 * The records of a file from a piece's end on, in pieces. A last line without its end is omitted: a crash cut it, and
 * it was never acknowledged.
 * @throws UnreadableSpool
 */
export async function* readSpool({ path, bytes }: SpoolFile, from: number): AsyncGenerator<SpoolPiece> {
  const handle = await open(path, 'r').catch(ignoreMissing);
  // Another process has taken the file, and stores it.
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

/** Whole lines from `start` on, about a piece; undefined if there is no whole line. */
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
