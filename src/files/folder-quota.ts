import type { EventEmitter } from 'node:events';
import { type FileHandle, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { FolderError } from './folder-error.ts';

/** Bytes that a file or directory takes besides its content: many empty files also fill a disk. */
export const entryBytes = 4096;
/** A measure is used for this long, or for twenty times as long as it took. */
const measureEveryMs = 30_000;
const measureShare = 20;
/** A folder over its limit is measured again first, but at most this often unless something was deleted. */
const remeasureAfterMs = 1_000;

/** Limits one site's files: measures the folder every half minute and counts writes in between. */
export class FolderQuota {
  readonly #root: string;
  readonly #limit: number;
  #used = 0;
  #measuredAt: number | undefined;
  #tookMs = 0;
  #wasFreed = false;
  #measuring: Promise<void> | undefined;
  /** Open files: one that is removed in the meantime has no name left, but still uses disk space. */
  readonly #opened = new Set<FileHandle>();

  constructor(root: string, limit: number) {
    this.#root = root;
    this.#limit = limit;
  }

  /** Reserves `bytes` before they are written. @throws FolderError if they exceed the quota */
  async grow(bytes: number): Promise<void> {
    if (this.#limit === 0 || bytes <= 0) return;
    if (this.#age() > Math.max(measureEveryMs, this.#tookMs * measureShare)) await this.#measure();
    if (this.#used + bytes > this.#limit && (this.#wasFreed || this.#age() > remeasureAfterMs))
      await this.#measure();
    if (this.#used + bytes > this.#limit) {
      const limit = `${Math.ceil(this.#limit / 1024 ** 2)} MB`;
      throw new FolderError('quota', `The quota of ${limit} for the files of this site is used up`);
    }
    this.#used += bytes;
  }

  /** After something was removed or cut: the next one who finds no room looks again. */
  freed(): void {
    this.#wasFreed = true;
  }

  /** Keeps an eye on a file until it is closed. */
  watch(file: FileHandle): void {
    if (this.#limit === 0) return;
    this.#opened.add(file);
    // The types omit that it emits an event at its end.
    (file as unknown as EventEmitter).once('close', () => {
      this.#opened.delete(file);
      this.#wasFreed = true;
    });
  }

  #age(): number {
    return this.#measuredAt === undefined ? Number.POSITIVE_INFINITY : performance.now() - this.#measuredAt;
  }

  /** One walk at a time, however many wait for it. */
  async #measure(): Promise<void> {
    this.#measuring ??= this.#walk().finally(() => {
      this.#measuring = undefined;
    });
    await this.#measuring;
  }

  async #walk(): Promise<void> {
    const [started, before] = [performance.now(), this.#used];
    this.#wasFreed = false;
    const found = (await bytesBelow(this.#root)) + (await bytesWithoutName(this.#opened));
    // `found` may already include bytes written in the meantime: until the next measurement, rather too many than too
    // few.
    this.#used = found + (this.#used - before);
    this.#measuredAt = performance.now();
    this.#tookMs = this.#measuredAt - started;
  }
}

/** Counts the bytes of all files below a directory, without following links; a file that vanishes counts 0. */
async function bytesBelow(directory: string): Promise<number> {
  let bytes = 0;
  const dir = await opendir(directory).catch(() => undefined);
  for await (const entry of dir ?? []) {
    const path = join(directory, entry.name);
    bytes += entryBytes;
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

/** Bytes of the opened files that have been removed. */
async function bytesWithoutName(opened: Iterable<FileHandle>): Promise<number> {
  let bytes = 0;
  for (const file of opened) {
    const stats = await file.stat().catch(() => undefined);
    if (stats?.nlink === 0) bytes += stats.size + entryBytes;
  }
  return bytes;
}

const known = new LRUCache<string, FolderQuota>({ max: 10_000 });

/** The quota of a folder: one for all sessions and jobs of this process. */
export function quotaOf(root: string, limit: number): FolderQuota {
  const key = `${limit} ${root}`;
  const quota = known.get(key) ?? new FolderQuota(root, limit);
  known.set(key, quota);
  return quota;
}
