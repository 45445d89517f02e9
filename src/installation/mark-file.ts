import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readKept, syncFolder, writeKept } from '../platform/data-dir.ts';

/** Name of the file in the data directory with the database's position at the last mail. */
const markFile = 'sending-mark';

export interface SendingMark {
  readonly epoch: string;
  readonly mark: number;
}

/** Reads the last mark of this data directory; undefined if there is none. @throws Error if it cannot be parsed */
export function readMark(folder: string): SendingMark | undefined {
  const text = readKept(folder, markFile);
  if (text === undefined) return undefined;
  try {
    const { epoch, mark } = JSON.parse(text) as SendingMark;
    if (typeof epoch === 'string' && Number.isSafeInteger(mark)) return { epoch, mark };
  } catch {
    // Said below, with the name of the file.
  }
  throw new Error(`The file ${join(folder, markFile)} is damaged; restore it, or remove it and start again`);
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
