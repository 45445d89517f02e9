import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fromLine, type SpoolRecord, toLine } from './spool-record.ts';

/** Disk that the spool of one process may take; beyond it hits are answered with 503. */
const maxSpoolBytes = 4 * 1024 ** 3;
/** A file whose owner does not touch it for so long is taken over, wherever the owner ran. */
const orphanAfterMs = 60_000;
const extension = '.hits';

/**
 * Keeps facts in files while the database is away: append-only, synced before an append resolves. Each process writes
 * files of its own, named after host and process, and reads back its own when it has finished them, and those of
 * processes that are gone.
 */
export class Spool {
  readonly #dir: string;
  /** Host, process and chance: a new process with an old one's number must not take the file for its own. */
  readonly #name = `${host}-${process.pid}-${randomBytes(4).toString('hex')}`;
  #file: { path: string; handle: FileHandle; bytes: number } | undefined;
  /** Appends, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Writes a record; when this resolves it survives a crash of the machine. */
  append(record: SpoolRecord): Promise<void> {
    return this.#inTurn(async () => {
      const line = Buffer.from(toLine(record));
      if ((this.#file?.bytes ?? 0) + line.length > maxSpoolBytes) throw new Error('The spool is full');
      try {
        await this.#write(line);
      } catch (error) {
        // What the failed write left may be half a line: the next record must not stand behind it.
        await this.#closeFile().catch(() => undefined);
        throw error;
      }
    });
  }

  async #write(line: Buffer): Promise<void> {
    this.#file ??= await this.#newFile();
    await this.#file.handle.appendFile(line);
    await this.#file.handle.datasync();
    this.#file.bytes += line.length;
    // Another process took the file for an orphan's (this one was stopped for a minute): write it again elsewhere.
    if (await isAt(this.#file)) return;
    await this.#closeFile();
    await this.#write(line);
  }

  async #newFile(): Promise<{ path: string; handle: FileHandle; bytes: number }> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const path = this.#newPath();
    const handle = await open(path, 'ax', 0o600);
    // The name itself must survive as well.
    const dir = await open(this.#dir, 'r');
    await dir.sync().finally(() => dir.close());
    return { path, handle, bytes: 0 };
  }

  #newPath(): string {
    return join(this.#dir, `${this.#name}-${randomBytes(6).toString('hex')}${extension}`);
  }

  /** Ends the file that is written; the next record begins another one. */
  finish(): Promise<void> {
    return this.#inTurn(() => this.#closeFile());
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  /** Tells other processes that the file being written has an owner. To be called every few seconds. */
  async touch(): Promise<void> {
    const now = new Date();
    if (this.#file) await utimes(this.#file.path, now, now);
  }

  /** The files that may be read back and removed: finished ones of ours, and those whose process is gone. */
  async readable(): Promise<string[]> {
    const names = await readdir(this.#dir).catch(() => []);
    const paths = names.filter((name) => name.endsWith(extension)).sort();
    const readable: string[] = [];
    for (const name of paths) {
      const path = join(this.#dir, name);
      if (path === this.#file?.path) continue;
      const isOurs = name.startsWith(`${this.#name}-`);
      if (isOurs || isOfDeadProcess(name) || (await isStale(path))) readable.push(path);
    }
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

  /** The records of a file in their order; ends at a line that was cut by a crash: it was never acknowledged. */
  async *records(path: string): AsyncGenerator<SpoolRecord> {
    const lines = createInterface({
      input: createReadStream(path, 'utf8'),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    for await (const line of lines) {
      const record = fromLine(line);
      if (!record) return;
      yield record;
    }
  }

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
async function isAt({ path, handle }: { path: string; handle: FileHandle }): Promise<boolean> {
  const there = await stat(path).catch(ignoreMissing);
  return there !== undefined && there.ino === (await handle.stat()).ino;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
