import type { FileHandle } from 'node:fs/promises';
import { openSpool, writeWhole } from '../files/spool.ts';
import { maxFileBytes } from './error-file.ts';

/**
 * Cells of the rows that a merge refuses, by their numbers, on the disk of this machine: the merge itself must not wait
 * for the repository that holds them.
 */
export class RefusedCells {
  readonly #tmpDir: string;
  /** Where a row's cells lie; undefined when there was no room for them. */
  readonly #places = new Map<number, { readonly at: number; readonly length: number } | undefined>();
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(tmpDir: string) {
    this.#tmpDir = tmpDir;
  }

  has(row: number): boolean {
    return this.#places.has(row);
  }

  async add(row: number, cells: readonly string[]): Promise<void> {
    const text = Buffer.from(JSON.stringify(cells));
    if (this.#bytes > maxFileBytes) {
      this.#places.set(row, undefined);
      return;
    }
    this.#file ??= await openSpool(this.#tmpDir);
    await writeWhole(this.#file, text);
    this.#places.set(row, { at: this.#bytes, length: text.length });
    this.#bytes += text.length;
  }

  /** Undefined when there was no room for them. */
  async of(row: number): Promise<readonly string[] | undefined> {
    const place = this.#places.get(row);
    if (!place) return undefined;
    const text = Buffer.alloc(place.length);
    for (let at = 0; at < text.length; ) {
      const { bytesRead } = await this.#file!.read(text, at, text.length - at, place.at + at);
      if (bytesRead === 0) throw new Error('The cells of refused rows are gone');
      at += bytesRead;
    }
    return JSON.parse(text.toString());
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
