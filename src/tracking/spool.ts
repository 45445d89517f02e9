import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { type SiteFacts, type SpoolRecord, toLine } from './spool-record.ts';

interface SpoolLimits {
  /** Size at which a file is ended and another one begun: what a crash leaves to be read again, in half a second. */
  readonly fileBytes: number;
  /** Disk that the files of one process may take; no file is begun beyond it, and hits are answered with 503. */
  readonly allBytes: number;
}
const usualLimits: SpoolLimits = { fileBytes: 16 * 1024 ** 2, allBytes: 4 * 1024 ** 3 };
/** A file is ended at this age, so that what is stored is not read again when the database has forgotten that it is. */
const maxFileAgeMs = 3_600_000;
/** A file whose owner does not touch it for so long is taken over, wherever the owner ran. */
const orphanAfterMs = 60_000;
/** An owner that was kept from writing for longer than this asks whether the file is still his. */
const sureForMs = 20_000;
const extension = '.hits';

/** A file that this process writes. */
interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly source: string;
  readonly madeAtMs: number;
  /** What was acknowledged. */
  bytes: number;
  records: number;
  /** When it was written or touched last, and so was ours. */
  oursAtMs: number;
}

/** A part of the spool that can be read: whole lines up to `bytes`. */
export interface SpoolFile {
  readonly path: string;
  /** Infinite for a file that is not written any more. */
  readonly bytes: number;
}

/**
 * Facts on their way to the database, in append-only files that are synced before an append resolves. Each process
 * writes files of its own, named after host and process; it reads them, and those of processes that are gone. Every
 * file is a source of its own, whose records are numbered, so reading a file again stores nothing twice.
 */
export class Spool {
  readonly #dir: string;
  readonly #limits: SpoolLimits;
  /** Host, process and chance: a new process with an old one's number must not take the file for its own. */
  readonly #name = `${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
  #file: OpenFile | undefined;
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
        // What the failed write left may be half a line: the next record must not stand behind it.
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
    await this.#checkOurs(file);
    file.bytes += line.length;
    file.records++;
  }

  /**
   * Another process takes the file for an orphan's when this one is stopped for a minute, and may read it before the
   * record that was just written: it is not acknowledged then.
   */
  async #checkOurs(file: OpenFile): Promise<void> {
    const now = performance.now();
    if (now - file.oursAtMs > sureForMs && !(await isAt(file))) {
      throw new Error('The spool file was taken over by another process');
    }
    file.oursAtMs = now;
  }

  async #newFile(): Promise<OpenFile> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    if ((await this.#bytesOfOurs()) >= this.#limits.allBytes) throw new Error('The spool is full');
    const path = this.#newPath();
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_DSYNC } = constants;
    const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_DSYNC, 0o600);
    // The name itself must survive as well.
    const dir = await open(this.#dir, 'r');
    await dir.sync().finally(() => dir.close());
    const now = performance.now();
    return { path, handle, source: randomUUID(), madeAtMs: now, bytes: 0, records: 0, oursAtMs: now };
  }

  async #bytesOfOurs(): Promise<number> {
    const ours = (await this.#names()).filter((name) => name.startsWith(`${this.#name}-`));
    const stats = await Promise.all(ours.map((name) => stat(join(this.#dir, name)).catch(ignoreMissing)));
    return stats.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#dir).catch(ignoreMissing);
    return (names ?? []).filter((name) => name.endsWith(extension)).sort();
  }

  #newPath(): string {
    return join(this.#dir, `${this.#name}-${randomBytes(6).toString('hex')}${extension}`);
  }

  /** Ends the file that is written; the next record begins another one. */
  finish(): Promise<void> {
    return this.#inTurn(() => this.#endFile());
  }

  async #endFile(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    this.#file = undefined;
    await file.handle.close();
    // On a full disk it would leave an empty one for each try.
    if (file.bytes === 0) await this.remove(file.path);
  }

  /**
   * Tells other processes that the file being written has an owner; ends it when it is old enough. To be called every
   * few seconds.
   */
  touch(): Promise<void> {
    return this.#inTurn(async () => {
      const file = this.#file;
      if (!file) return;
      if (this.#isOld(file)) return this.#endFile();
      const now = new Date();
      await utimes(file.path, now, now).then(
        () => this.#checkOurs(file),
        () => this.#endFile(),
      );
    });
  }

  /** What may be read: ended files of ours, those whose process is gone, and last what was appended to ours so far. */
  async readable(): Promise<SpoolFile[]> {
    const readable: SpoolFile[] = [];
    for (const name of await this.#names()) {
      const path = join(this.#dir, name);
      if (path === this.#file?.path) continue;
      const isOurs = name.startsWith(`${this.#name}-`);
      if (isOurs || isOfDeadProcess(name) || (await isStale(path))) {
        readable.push({ path, bytes: Number.POSITIVE_INFINITY });
      }
    }
    if (this.#file) readable.push({ path: this.#file.path, bytes: this.#file.bytes });
    return readable;
  }

  /**
   * Takes a readable file for this process, before it is read: under a name of ours its owner, should it live after
   * all, sees that what it has just appended may not be read any more. Undefined when another process was faster.
   */
  async claim(path: string): Promise<string | undefined> {
    if (basename(path).startsWith(`${this.#name}-`)) return path;
    const ours = this.#newPath();
    return rename(path, ours).then(() => ours, ignoreMissing);
  }

  /** Whether nobody wrote to the file for so many days. */
  async isOlderThan(path: string, days: number): Promise<boolean> {
    const there = await stat(path).catch(ignoreMissing);
    return there !== undefined && Date.now() - there.mtimeMs > days * 86_400_000;
  }

  /** Keeps a file that is not to be read, for somebody to look at; its path. */
  async shelve(path: string): Promise<string> {
    const shelved = `${path}.old`;
    await rename(path, shelved);
    return shelved;
  }

  /** Removes a file whose records are stored. */
  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoreMissing);
  }

  /** Keeps a record that the database will never take, for somebody to look at. */
  async setAside(record: SpoolRecord): Promise<void> {
    const handle = await open(join(this.#dir, `${this.#name}.refused`), 'a', 0o600);
    try {
      await handle.appendFile(toLine(record));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

const host = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');

function isOfDeadProcess(name: string): boolean {
  const [ofHost, pid] = name.split('-');
  if (ofHost !== host || !pid) return false;
  // A name with our number that is not ours is of a process that had the number before.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

// Compared with the file system's times, so it is the machine's clock that counts.
async function isStale(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > orphanAfterMs;
}

/** Whether the file still has the name that it was made with. */
async function isAt({ path, handle }: OpenFile): Promise<boolean> {
  const there = await stat(path).catch(ignoreMissing);
  return there !== undefined && there.ino === (await handle.stat()).ino;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
