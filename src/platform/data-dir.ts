import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Name of the file in the data directory that exists while a backup is being restored into it. */
export const restoringFile = 'restoring';

/**
 * Makes the data directory. Others may not list it; as root they may pass through it, because PostgreSQL, which runs
 * as another user, has its folder inside.
 * @throws Error in one sentence when it cannot be written.
 */
export function openDataDir(folder: string): void {
  makeDataDir(folder);
  if (existsSync(join(folder, restoringFile)))
    throw new Error(
      `The data directory ${folder} holds an incomplete restore; run npx facteur restore with the backup again`,
    );
}

/** Creates a data directory that a backup is about to fill. */
export function makeDataDir(folder: string): void {
  try {
    if (makeFolder(folder)) chmodSync(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    const probe = join(folder, `.probe-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new Error(`The data directory ${folder} cannot be written: ${(error as Error).message}`);
  }
}

/**
 * Makes a folder and those above it; whether it was made, and not there before. One by one: where a file system makes
 * none and says so with ENOENT, as /proc does, Node's `recursive` tries for ever.
 */
function makeFolder(folder: string): boolean {
  if (existsSync(folder)) return false;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    // Another process of ours, which starts beside this one, made it in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The text of a file of the data directory, without its line end; undefined when there is none. */
export function readKept(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The JSON of such a file; undefined when there is none. @throws Error that names the file if it is damaged */
export function readKeptJson<T>(folder: string, name: string, isWhole: (value: T) => boolean): T | undefined {
  const text = readKept(folder, name);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as T;
    if (isWhole(value)) return value;
  } catch {
    // Said below, with the name of the file.
  }
  throw new Error(`The file ${join(folder, name)} is damaged; restore it, or remove it and start again`);
}

/** Keeps a secret in a private file, and returns its content: the first of concurrent processes wins. Durable. */
export function keepOnce(folder: string, name: string, make: () => string): string {
  const known = readKept(folder, name);
  if (known) return known;
  const half = join(folder, `.${name}-${randomBytes(6).toString('hex')}`);
  writeFileSync(half, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(half, join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(half);
  }
  syncFolder(folder);
  return readKept(folder, name)!;
}

/** Rewrites a file of the data directory, whole and durable. `make` gets the path of the file to fill. */
export function writeKept(folder: string, name: string, make: (path: string) => string): void {
  const half = join(folder, `.${name}-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(half, '', { mode: 0o600, flag: 'wx' });
    writeFileSync(half, `${make(half)}\n`, { flag: 'r+', flush: true });
    renameSync(half, join(folder, name));
  } finally {
    // What a full disk left of it.
    rmSync(half, { force: true });
  }
  syncFolder(folder);
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
