import { randomUUID } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readKeptJson, writeKept } from '../platform/data-dir.ts';

const identityFile = 'identity';

/**
 * File systems that keep the instant at which a file was made, and never change it: ext, XFS, Btrfs, ZFS, F2FS,
 * overlays of these, and memory. On others, network shares for instance, it may be another after each mount.
 */
const keepBirths = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x794c7630, 0x01021994]);

export interface DataDirIdentity {
  readonly id: string;
  /** The folder is not the one in which the file was made: it was unpacked from a backup, or copied. */
  readonly isCopy: boolean;
}

interface Kept {
  readonly id: string;
  /** Creation time of this file, in nanoseconds since 1970; null if unknown, `restored` after a restore. */
  readonly born: string | null;
}

/** Which data directory this is; undefined without its file. A copy has another instant. @throws Error if unreadable */
export function readIdentity(folder: string): DataDirIdentity | undefined {
  const kept = readKeptJson<Kept>(
    folder,
    identityFile,
    ({ id, born }) => typeof id === 'string' && (born === null || typeof born === 'string'),
  );
  if (!kept) return undefined;
  return { id: kept.id, isCopy: kept.born !== null && kept.born !== bornAt(join(folder, identityFile)) };
}

/** Gives the data directory a new identity, instead of an existing one; durable on return. */
export function renewIdentity(folder: string): DataDirIdentity {
  const id = randomUUID();
  writeKept(folder, identityFile, (path) => JSON.stringify({ id, born: bornAt(path) } satisfies Kept));
  return { id, isCopy: false };
}

/** Marks a data directory as a copy until it is adopted: no file was created at its identity's instant. */
export function markCopied(folder: string): void {
  writeKept(folder, identityFile, () =>
    JSON.stringify({ id: randomUUID(), born: 'restored' } satisfies Kept),
  );
}

function bornAt(path: string): string | null {
  if (!keepBirths.has(statfsSync(path).type)) return null;
  const { birthtimeNs } = statSync(path, { bigint: true });
  return birthtimeNs > 0n ? String(birthtimeNs) : null;
}
