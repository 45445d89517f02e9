import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ignoreMissing } from './hit-spool.ts';

/** The hits that wait for an operator. */
export interface QuarantineState {
  readonly files: number;
  readonly bytes: number;
  /** Records and files that this process has dropped since its start for lack of room. */
  readonly dropped: number;
}

/** Maximum disk space of quarantined hits: millions. Above it the newest are dropped. */
const usualMaxBytes = 1024 ** 3;
const extensions = /\.(?:refused|old)$/;

/**
 * Keeps hits that were answered but cannot be stored, beside the spool for an operator: lines that the database will
 * never store in `.refused`, files that may not be read in `.old`. It has its own share of the disk, so that one site's
 * hits can stop neither the disk nor tracking as a whole. Hits without room are dropped, which is logged as an error
 * and counted in `state`. The first hits are kept, because they show how it started.
 */
export class Quarantine {
  readonly #dir: string;
  readonly #log: Logger;
  readonly #linesPath: string;
  readonly #maxBytes: number;
  #dropped = 0;

  /** @param name of this process's files, which no other process has. */
  constructor(dir: string, name: string, log: Logger, maxBytes = usualMaxBytes) {
    this.#dir = dir;
    this.#log = log;
    this.#linesPath = join(dir, `${name}.refused`);
    this.#maxBytes = maxBytes;
  }

  /**
   * Quarantines lines, which include their line ends. @param what starts the log message: `spooled hits were refused`.
   */
  async keepLines(lines: readonly string[], what: string, why: object = {}): Promise<void> {
    const text = lines.join('');
    const told = { ...why, lines: lines.length };
    if (!(await this.#hasRoomFor(Buffer.byteLength(text)))) return this.#drop(lines.length, what, told);
    await this.#append(text);
    this.#log.error(told, `${what} and quarantined`);
  }

  /** Writes everything or nothing: a full disk leaves half a line, which no other line may follow. */
  async #append(text: string): Promise<void> {
    const handle = await open(this.#linesPath, 'a', 0o600);
    try {
      const { size } = await handle.stat();
      try {
        await handle.appendFile(text);
        await handle.datasync();
      } catch (error) {
        await handle.truncate(size).catch(() => undefined);
        throw error;
      }
    } finally {
      await handle.close();
    }
  }

  /** Quarantines a whole file. */
  async keepFile(path: string, why: string): Promise<void> {
    const what = `a spool file ${why}`;
    const there = await stat(path).catch(ignoreMissing);
    if (!there) return;
    if (!(await this.#hasRoomFor(there.size))) {
      await unlink(path).catch(ignoreMissing);
      this.#drop(1, what, { file: path, bytes: there.size });
      return;
    }
    const shelved = `${path}.old`;
    await rename(path, shelved);
    this.#log.error({ file: shelved }, `${what}and was quarantined`);
  }

  async state(): Promise<QuarantineState> {
    const names = (await readdir(this.#dir).catch(() => [])).filter((name) => extensions.test(name));
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(this.#dir, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return { files: names.length, bytes, dropped: this.#dropped };
  }

  async #hasRoomFor(bytes: number): Promise<boolean> {
    return (await this.state()).bytes + bytes <= this.#maxBytes;
  }

  #drop(count: number, what: string, told: object): void {
    this.#dropped += count;
    const limit = { maxBytes: this.#maxBytes, dropped: this.#dropped };
    this.#log.error(
      { ...told, ...limit },
      `${what} and DROPPED: the quarantine has used up its share of the disk`,
    );
  }
}
