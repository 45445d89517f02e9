import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readKeptJson, syncFolder, writeKept } from '../platform/data-dir.ts';

/** Name of the file in the data directory with the database's position at the last mail. */
const markFile = 'sending-mark';

export interface SendingMark {
  readonly epoch: string;
  readonly mark: number;
}

/** Reads the last mark of this data directory; undefined if there is none. @throws Error if it cannot be parsed */
export function readMark(folder: string): SendingMark | undefined {
  return readKeptJson<SendingMark>(
    folder,
    markFile,
    ({ epoch, mark }) => typeof epoch === 'string' && Number.isSafeInteger(mark),
  );
}

/** Replaces the mark; durable on return. The caller's mark is committed: the file must never be ahead. */
export function writeMark(folder: string, mark: SendingMark): void {
  writeKept(folder, markFile, () => JSON.stringify(mark));
}

/** Forgets the mark of a database that is no more; durable on return. */
export function removeMark(folder: string): void {
  rmSync(join(folder, markFile), { force: true });
  syncFolder(folder);
}
