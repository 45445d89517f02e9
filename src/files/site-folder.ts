import { constants, type Dir, type Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  lutimes,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { insideRoot, nameFault } from './file-name.ts';
import { FolderError } from './folder-error.ts';
import { entryBytes, type FolderQuota } from './folder-quota.ts';

/** How a file is opened; the members are those of SFTP's open request. */
export interface OpenMode {
  readonly read?: boolean;
  readonly write?: boolean;
  readonly create?: boolean;
  readonly truncate?: boolean;
  readonly exclusive?: boolean;
}

/**
 * One directory of the disk, seen as a root: nothing outside it can be named, whatever the name holds and whatever
 * links were planted below it. Symbolic links are never followed and never made; only plain files and directories
 * exist for its callers. A file with a second name (a hard link) is refused: the other name may be outside.
 */
export class SiteFolder {
  readonly #root: string;
  /** To be asked before anything is written to an opened file. */
  readonly quota: FolderQuota;

  private constructor(root: string, quota: FolderQuota) {
    this.#root = root;
    this.quota = quota;
  }

  /** Opens the root, and makes it when it is missing (mode 0700). */
  static async open(root: string, quota: FolderQuota): Promise<SiteFolder> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    // The root itself may be reached over links (a mounted data directory); below it none count.
    return new SiteFolder(await realpath(root), quota);
  }

  async stat(name: string): Promise<Stats> {
    return knownKind(await attempt(lstat(await this.#locate(name))));
  }

  /** Opens a plain file. Devices, sockets and pipes are refused without waiting for them. */
  async open(name: string, mode: OpenMode): Promise<FileHandle> {
    const path = await this.#locate(name);
    if (mode.create) await this.quota.grow(entryBytes);
    const handle = await attempt(open(path, openFlags(mode), 0o600));
    this.quota.watch(handle);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new FolderError('denied', 'Not a plain file');
      if (stats.nlink > 1) throw new FolderError('denied', hardLinked);
      // Only now: a file with a name outside must not be emptied by being looked at.
      if (mode.truncate && stats.size > 0) await this.truncate(handle, stats.size, 0);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Cuts or lengthens an opened file. */
  async truncate(file: FileHandle, from: number, to: number): Promise<void> {
    if (to > from) await this.quota.grow(to - from);
    await attempt(file.truncate(to));
    if (to < from) this.quota.freed();
  }

  async openDirectory(name: string): Promise<Dir> {
    const path = await this.#locate(name);
    const stats = await attempt(lstat(path));
    if (!stats.isDirectory()) throw new FolderError('failed', 'Not a directory');
    return attempt(opendir(path));
  }

  /** Looks at an entry of an opened directory, by the name that the disk has: a single call for each of many. */
  async statEntry(dir: Dir, name: string): Promise<Stats> {
    const fault = nameFault(name);
    if (fault) throw new FolderError('failed', `The name ${fault}`);
    return knownKind(await attempt(lstat(join(dir.path, name))));
  }

  async makeDirectory(name: string): Promise<void> {
    const path = await this.#locate(name);
    await this.quota.grow(entryBytes);
    await attempt(mkdir(path, { mode: 0o700 }));
  }

  async removeFile(name: string): Promise<void> {
    const path = await this.#locate(name);
    // unlink removes a planted link itself, never what it points to; directories have their own operation.
    if ((await attempt(lstat(path))).isDirectory()) throw new FolderError('failed', 'Is a directory');
    await attempt(unlink(path));
    this.quota.freed();
  }

  async removeDirectory(name: string): Promise<void> {
    if (insideRoot(name) === '/') throw new FolderError('denied', 'The root stays');
    await attempt(rmdir(await this.#locate(name)));
    this.quota.freed();
  }

  /** Renames. As SFTP version 3 has it, an existing target is an error unless `replace` is requested. */
  async rename(from: string, to: string, replace: boolean): Promise<void> {
    const [source, target] = [await this.#locate(from), await this.#locate(to)];
    if (source === this.#root || target === this.#root) throw new FolderError('denied', 'The root stays');
    if (!replace && (await exists(target))) throw new FolderError('failed', 'The target exists');
    await attempt(rename(source, target));
    if (replace) this.quota.freed();
  }

  /** Sets the times of a file or directory, not of what a link points to. */
  async setTimes(name: string, atime: Date, mtime: Date): Promise<void> {
    const path = await this.#locate(name);
    knownKind(await attempt(lstat(path)));
    await attempt(lutimes(path, atime, mtime));
  }

  /** Makes the directories that lead to a name. `made` gets those that were missing, the outer ones first. */
  async makeParents(name: string, made: string[]): Promise<void> {
    const parts = insideRoot(name).split('/').slice(1, -1);
    for (let depth = 1; depth <= parts.length; depth++) {
      const name = parts.slice(0, depth).join('/');
      if (await exists(await this.#locate(name))) continue;
      await this.makeDirectory(name);
      made.push(name);
    }
  }

  /** Returns the path of a name whose directory is no link, by `realpath`. Callers look at the last part. */
  async #locate(name: string): Promise<string> {
    const fault = nameFault(name || '/');
    if (fault) throw new FolderError('failed', `The name ${fault}`);
    const inside = insideRoot(name);
    if (inside === '/') return this.#root;
    const path = await this.#known(inside);
    const parent = dirname(path);
    if ((await attempt(realpath(parent))) !== parent) throw new FolderError('denied', 'A link is in the way');
    return path;
  }

  /** Returns the path of a name with composed accents, or as the disk has it: Macs decompose names. */
  async #known(inside: string): Promise<string> {
    let path = this.#root;
    for (const part of inside.normalize('NFC').split('/').slice(1)) {
      const composed = join(path, part);
      const isPlain = part === part.normalize('NFD') || (await exists(composed));
      path = isPlain ? composed : join(path, (await sameName(path, part)) ?? part);
    }
    return path;
  }
}

async function sameName(folder: string, composed: string): Promise<string | undefined> {
  const dir = await opendir(folder).catch(() => undefined);
  for await (const { name } of dir ?? []) if (name.normalize('NFC') === composed) return name;
  return undefined;
}

function openFlags(mode: OpenMode): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
  const access = mode.write ? (mode.read ? O_RDWR : O_WRONLY) : O_RDONLY;
  return (
    access |
    (mode.create ? O_CREAT : 0) |
    (mode.exclusive ? O_EXCL : 0) |
    // NONBLOCK: without it, `open` would wait for a writer of a pipe.
    O_NOFOLLOW |
    O_NONBLOCK
  );
}

const hardLinked = 'The file has a second name (a hard link)';

function knownKind(stats: Stats): Stats {
  if (stats.isDirectory() || (stats.isFile() && stats.nlink <= 1)) return stats;
  throw new FolderError('denied', stats.isFile() ? hardLinked : 'Neither a file nor a directory');
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Runs a file-system call; its error in our words, without paths of this machine. */
async function attempt<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof FolderError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new FolderError('missing', 'No such file');
    if (code === 'ELOOP' || code === 'EACCES' || code === 'EPERM' || code === 'ENXIO') {
      throw new FolderError('denied', 'Permission denied');
    }
    throw new FolderError('failed', code || 'Failure');
  }
}
