import { type FileHandle, open } from 'node:fs/promises';
import type { SpoolFile } from './spool.ts';
import { fromLine, type SpoolRecord } from './spool-record.ts';

/** What is read at once, some 7,000 hits: bounds memory, and the time for which the reading holds up requests. */
const pieceBytes = 1024 ** 2;
const newLine = 0x0a;

/** Records that stand together in a file. */
export interface SpoolPiece {
  readonly records: readonly SpoolRecord[];
  /** Bytes of the file up to their end. */
  readonly end: number;
}

/**
 * The records of a file in their order, in pieces, from a piece's end on. A line that a crash cut is left out: it was
 * never acknowledged, and it is the file's last.
 */
export async function* readSpool({ path, bytes }: SpoolFile, from: number): AsyncGenerator<SpoolPiece> {
  const handle = await open(path, 'r');
  try {
    let start = from;
    while (start < bytes) {
      const lines = await readLines(handle, start, bytes);
      if (!lines) return;
      const records = lines
        .toString('utf8')
        .split('\n')
        .flatMap((line) => fromLine(line) ?? []);
      start += lines.length;
      if (records.length > 0) yield { records, end: start };
    }
  } finally {
    await handle.close();
  }
}

/** Whole lines from `start` on, about a piece of them; undefined when there is no whole line. */
async function readLines(handle: FileHandle, start: number, end: number): Promise<Buffer | undefined> {
  for (let size = pieceBytes; ; size *= 2) {
    const wanted = Math.min(size, end - start);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(wanted), position: start });
    const last = buffer.lastIndexOf(newLine, bytesRead - 1);
    if (bytesRead > 0 && last >= 0) return buffer.subarray(0, last + 1);
    if (bytesRead < wanted || wanted < size) return undefined;
  }
}
