import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openNamelessFile } from '../files/nameless-file.ts';
import { type SiteFacts, toLine } from './spool-record.ts';

interface SpoolLimits {
  /** Size at which a file is ended and another one begun: what a crash leaves to be read again, in half a second. */
  readonly fileBytes: number;
  /** Disk that all files together may take; no file is begun beyond it, and hits are answered with 503. */
  readonly allBytes: number;
}
const usualLimits: SpoolLimits = { fileBytes: 16 * 1024 ** 2, allBytes: 4 * 1024 ** 3 };
/** A file is ended at this age, so that what is stored is not read again when the database has forgotten that it is. */
const maxFileAgeMs = 3_600_000;
/** A file whose owner does not touch it for so long is taken over, wherever the owner ran. */
const orphanAfterMs = 60_000;
const spoolExtension = '.hits';

/** A file that this process writes. */
interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly source: string;
  readonly madeAtMs: number;
  /** What was acknowledged. */
  bytes: number;
  records: number;
}

/** A part of the spool that can be read: whole lines up to `bytes`. */
export interface SpoolFile {
  readonly path: string;
  /** Infinite for a file that is no longer written. */
  readonly bytes: number;
}

/**
 * Facts on their way to the database, in append-only files that are synced before an append resolves. Each process
 * writes files of its own, named after place and process; it reads them, and those of processes that no longer exist.
 * Every file is a source of its own, whose records are numbered, so reading a file again stores nothing twice.
 *
 * Whether a process no longer exists is a guess: it may be stopped, or the clock may jump. A wrong guess loses
 * nothing: who takes a file renames it before he reads it, and an owner acknowledges a record only when, after it was
 * written, the file still had its name.
 */
export class HitSpool {
  readonly #dir: string;
  readonly #limits: SpoolLimits;
  readonly #place = placeOfProcess();
  /** Place, process and chance: a new process with an old one's number must not take the file for its own. */
  readonly name = `${this.#place}-${process.pid}-${randomBytes(4).toString('hex')}`;
  #file: OpenFile | undefined;
  /** The path of `#file`, from before it is there: who lists the folder must never take it for an ended one. */
  #writtenPath: string | undefined;
  /** Appends, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dir: string, limits: Partial<SpoolLimits> = {}) {
    this.#dir = dir;
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Writes a record; when this resolves it survives a crash of the machine. */
  append(sites: readonly SiteFacts[]): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#file && this.#isOld(this.#file)) await this.#endFile();
      this.#file ??= await this.#newFile();
      try {
        await this.#write(this.#file, sites);
      } catch (error) {
        // What the failed write left may be half a line: the next record must not be behind it.
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
    // The file was opened with O_DSYNC: what is written is synced, in one call.
    await file.handle.appendFile(line);
    // Microseconds, by the kernel's memory of names; a promise for it would take ten times as long.
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

  /** Ends the file that is written; the next record begins another one. */
  finish(): Promise<void> {
    return this.#inTurn(() => this.#endFile());
  }

  async #endFile(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    this.#file = undefined;
    this.#writtenPath = undefined;
    await file.handle.close();
    // On a full disk it would leave an empty one for each try.
    if (file.bytes === 0) await this.remove(file.path);
  }

  /**
   * Reports other processes that our files have an owner; ends the one being written when it is old enough. To be
   * called every few seconds.
   */
  touch(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#file && this.#isOld(this.#file)) await this.#endFile();
      for (const name of await this.#names()) {
        if (name.startsWith(`${this.name}-`)) await touchFile(join(this.#dir, name));
      }
    });
  }

  /**
   * What may be read: ended files of ours, those whose process no longer exists, and last what was appended to ours
   * so far.
   */
  async readable(): Promise<SpoolFile[]> {
    const readable: SpoolFile[] = [];
    const names = await this.#names();
    // What is written now, as of one moment after the listing: a file of ours in the list that is not it has ended.
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
   * Takes a readable file for this process, before it is read: under a name of ours its owner, should it live after
   * all, sees that what it has just appended may not be read any more. Undefined when another process was faster.
   */
  async claim(path: string): Promise<string | undefined> {
    if (basename(path).startsWith(`${this.name}-`)) return path;
    const ours = this.#newPath();
    try {
      await rename(path, ours);
      // Or the next process takes it from us, and we from it, again and again.
      await touchFile(ours);
      return ours;
    } catch (error) {
      return ignoreMissing(error as NodeJS.ErrnoException);
    }
  }

  /** Whether nobody wrote to the file for so many days. */
  async isOlderThan(path: string, days: number): Promise<boolean> {
    const there = await stat(path).catch(ignoreMissing);
    return there !== undefined && Date.now() - there.mtimeMs > days * 86_400_000;
  }

  /** Removes a file whose records are stored. */
  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoreMissing);
  }

  /**
   * Why nothing could be appended now, found out by writing beside the files: `full`, or the system's code (`EROFS`).
   * A folder that is mended is found mended, though nobody had anything appended in the meantime.
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
 * Where process numbers mean what they mean here: this boot of this machine and this container. Containers may share a
 * folder and a host's name, and each calls its process 1.
 */
function placeOfProcess(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const numbers = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(`${boot}${numbers}`).digest('hex').slice(0, 16);
  } catch {
    // Not told here: files of others are taken over when nobody touches them, not by the number.
    return randomBytes(8).toString('hex');
  }
}

function isOfDeadProcess(name: string, place: string): boolean {
  const [ofPlace, pid] = name.split('-');
  if (ofPlace !== place || !pid) return false;
  // A name with our number that is not ours is of a process that had the number before.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Whether nobody touched the file lately; a time to come was written before the clock was set back. */
async function isStale(path: string): Promise<boolean> {
  const there = await stat(path).catch(ignoreMissing);
  if (!there) return false;
  const now = Date.now();
  return [there.atimeMs, there.mtimeMs].every((time) => Math.abs(now - time) > orphanAfterMs);
}

/** Sets the time of access: that of writing says until when the database knows what of the file is stored. */
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
