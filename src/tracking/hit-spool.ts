import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openNamelessFile } from '../files/nameless-file.ts';
import { type SiteFacts, toLine } from './spool-record.ts';

interface SpoolLimits {
  /** Size at which a new file is started: a crash leaves at most this to read again, which takes half a second. */
  readonly fileBytes: number;
  /** Maximum disk space of all files; above it no file is started, and the caller returns 503. */
  readonly allBytes: number;
}
const usualLimits: SpoolLimits = { fileBytes: 16 * 1024 ** 2, allBytes: 4 * 1024 ** 3 };
/** Age at which a file ends, so that it is not read again when the database has forgotten which records it has. */
const maxFileAgeMs = 3_600_000;
/** Another process takes over a file that its owner has not touched for this time, wherever the owner ran. */
const orphanAfterMs = 60_000;
const spoolExtension = '.hits';

/** The file that this process writes. */
interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly source: string;
  readonly madeAtMs: number;
  /** Acknowledged bytes. */
  bytes: number;
  records: number;
}

/** A readable part of the spool: whole lines up to `bytes`. */
export interface SpoolFile {
  readonly path: string;
  /** Infinite for a file that is no longer written. */
  readonly bytes: number;
}

/**
 * Facts on their way to the database, in append-only files that are synced before an append resolves. Each process
 * writes its own files, named after place and process. It reads them, and those of processes that have exited. Each
 * file is a source whose records are numbered, so reading a file again stores nothing twice.
 * Whether a process has exited is a guess: it may be stopped, or the clock may jump. A wrong guess loses nothing: a
 * process renames a file before it reads it, and the owner acknowledges a record only if the file still has its name
 * after the write.
 */
export class HitSpool {
  readonly #dir: string;
  readonly #limits: SpoolLimits;
  readonly #place = placeOfProcess();
  /** Place, process id and a random part: a new process with the same id must not take the file for its own. */
  readonly name = `${this.#place}-${process.pid}-${randomBytes(4).toString('hex')}`;
  #file: OpenFile | undefined;
  /** The path of `#file`, set before the file exists, so that a listing never takes it for an ended file. */
  #writtenPath: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dir: string, limits: Partial<SpoolLimits> = {}) {
    this.#dir = dir;
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Writes a record; once this resolves, the record survives a crash of the machine. */
  append(sites: readonly SiteFacts[]): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#file && this.#isOld(this.#file)) await this.#endFile();
      this.#file ??= await this.#newFile();
      try {
        await this.#write(this.#file, sites);
      } catch (error) {
        // A failed write may leave half a line, and the next record must not follow it.
        await this.#endFile().catch(() => undefined);
        throw error;
      }
    });
  }

  #isOld({ bytes, madeAtMs }: OpenFile): boolean {
    return bytes >= this.#limits.fileBytes || performance.now() - madeAtMs >= maxFileAgeMs;
  }

  async #write(file: OpenFile, sites: readonly SiteFacts[]): Promise<void> {
    const line = Buffer.from(toLine({ source: file.source, number: file.records + 1, sites }));
    // The file was opened with O_DSYNC: a write is synced in one call.
    await file.handle.appendFile(line);
    // Microseconds, from the kernel's cache of names; a promise would take ten times as long.
    if (!existsSync(file.path)) throw new Error('The spool file was taken over by another process');
    file.bytes += line.length;
    file.records++;
  }

  async #newFile(): Promise<OpenFile> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    if ((await this.#bytes()) >= this.#limits.allBytes) throw new Error('The spool is full');
    const path = this.#newPath();
    this.#writtenPath = path;
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_DSYNC } = constants;
    const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_DSYNC, 0o600);
    try {
      await syncNames(this.#dir);
    } catch (error) {
      await handle.close();
      await this.remove(path);
      throw error;
    }
    return { path, handle, source: randomUUID(), madeAtMs: performance.now(), bytes: 0, records: 0 };
  }

  async #bytes(): Promise<number> {
    const names = await this.#names();
    const stats = await Promise.all(names.map((name) => stat(join(this.#dir, name)).catch(ignoreMissing)));
    return stats.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#dir).catch(ignoreMissing);
    return (names ?? []).filter((name) => name.endsWith(spoolExtension)).sort();
  }

  #newPath(): string {
    return join(this.#dir, `${this.name}-${randomBytes(6).toString('hex')}${spoolExtension}`);
  }

  /** Ends the current file; the next record starts another one. */
  finish(): Promise<void> {
    return this.#inTurn(() => this.#endFile());
  }

  async #endFile(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    this.#file = undefined;
    this.#writtenPath = undefined;
    await file.handle.close();
    // On a full disk every attempt would leave an empty file.
    if (file.bytes === 0) await this.remove(file.path);
  }

  /**
   * Marks our files as in use for other processes, and ends the current one when it is old enough. Must be called every
   * few seconds.
   */
  touch(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#file && this.#isOld(this.#file)) await this.#endFile();
      for (const name of await this.#names()) {
        if (name.startsWith(`${this.name}-`)) await touchFile(join(this.#dir, name));
      }
    });
  }

  /** The readable files: our ended files, those of exited processes, and last what was appended to our current file. */
  async readable(): Promise<SpoolFile[]> {
    const readable: SpoolFile[] = [];
    const names = await this.#names();
    // The current file, read after the listing: any other listed file of this process has ended.
    const file = this.#file && { path: this.#file.path, bytes: this.#file.bytes };
    const writtenPath = this.#writtenPath;
    for (const name of names) {
      const path = join(this.#dir, name);
      if (path === writtenPath) continue;
      const isOurs = name.startsWith(`${this.name}-`);
      if (isOurs || isOfDeadProcess(name, this.#place) || (await isStale(path))) {
        readable.push({ path, bytes: Number.POSITIVE_INFINITY });
      }
    }
    if (file) readable.push(file);
    return readable;
  }

  /**
   * Takes a readable file for this process by renaming it. If its owner is still running, it notices after its next
   * write that the file no longer has its name. Undefined if another process was faster.
   */
  async claim(path: string): Promise<string | undefined> {
    if (basename(path).startsWith(`${this.name}-`)) return path;
    const ours = this.#newPath();
    try {
      await rename(path, ours);
      // Otherwise another process takes it back, and so on.
      await touchFile(ours);
      return ours;
    } catch (error) {
      return ignoreMissing(error as NodeJS.ErrnoException);
    }
  }

  /** Whether the file was last written more than `days` days ago. */
  async isOlderThan(path: string, days: number): Promise<boolean> {
    const there = await stat(path).catch(ignoreMissing);
    return there !== undefined && Date.now() - there.mtimeMs > days * 86_400_000;
  }

  /** Removes a file whose records are stored. */
  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoreMissing);
  }

  /**
   * Why appending would fail now, found by writing beside the files: `full`, or the system's code (`EROFS`). A repaired
   * folder is found repaired even if nothing was appended in the meantime.
   */
  async trouble(): Promise<string | undefined> {
    try {
      if ((await this.#bytes()) >= this.#limits.allBytes) return 'full';
      const file = await openNamelessFile(this.#dir);
      await file
        .appendFile('\n')
        .then(() => file.datasync())
        .finally(() => file.close());
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * Identifies where a process id is unique: this boot of this machine and this container. Containers may share a folder
 * and a host name, and each calls its process 1.
 */
function placeOfProcess(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const numbers = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(`${boot}${numbers}`).digest('hex').slice(0, 16);
  } catch {
    // Unknown here: files of other processes are taken over when they are stale, not by their process id.
    return randomBytes(8).toString('hex');
  }
}

function isOfDeadProcess(name: string, place: string): boolean {
  const [ofPlace, pid] = name.split('-');
  if (ofPlace !== place || !pid) return false;
  // Another name with our process id belongs to a process that had the id before.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Whether the file was not touched lately; a time in the future was written before the clock was set back. */
async function isStale(path: string): Promise<boolean> {
  const there = await stat(path).catch(ignoreMissing);
  if (!there) return false;
  const now = Date.now();
  return [there.atimeMs, there.mtimeMs].every((time) => Math.abs(now - time) > orphanAfterMs);
}

/** Sets the time of access only: the time of writing decides how long the database knows which records it has. */
async function touchFile(path: string): Promise<void> {
  const there = await stat(path).catch(ignoreMissing);
  if (there) await utimes(path, new Date(), there.mtime).catch(ignoreMissing);
}

/** Makes the names in a folder survive a crash of the machine. */
async function syncNames(path: string): Promise<void> {
  const dir = await open(path, 'r');
  await dir.sync().finally(() => dir.close());
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
