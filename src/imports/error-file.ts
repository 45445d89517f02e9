import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { csvLine } from '../files/csv-reader.ts';
import type { CsvShape } from '../files/csv-splitter.ts';
import type { RepositoryFiles } from '../files/repository.ts';

/** Row numbers that a log lists at most. */
const maxListed = 1_000;

/**
 * The rows that an import refuses, with their numbers and reasons, gathered in a file on this machine until they are
 * put beside the imported file. UTF-8 with a byte-order mark, so that it can be mended and imported again as it is.
 */
export class ErrorFile {
  readonly #path: string;
  readonly #shape: CsvShape;
  #head: readonly string[] = [];
  #out: WriteStream | undefined;
  readonly #numbers: number[] = [];
  #count = 0;

  constructor(path: string, shape: CsvShape) {
    this.#path = path;
    this.#shape = shape;
  }

  get count(): number {
    return this.#count;
  }

  /** The numbers of the first thousand rows, in order: `3,17`; with `,…` when there are more. */
  get numbers(): string {
    const shown = this.#numbers.toSorted((a, b) => a - b).slice(0, maxListed);
    return shown.join(',') + (this.#count > shown.length ? ',…' : '');
  }

  /** The names of the columns, which become the first line behind `row` and `reason`. */
  setHead(names: readonly string[]): void {
    this.#head = names;
  }

  async add(row: number, reason: string, cells: readonly string[]): Promise<void> {
    this.#count++;
    if (this.#numbers.length < maxListed) this.#numbers.push(row);
    this.#out ??= await this.#begin();
    if (!this.#out.write(csvLine([String(row), reason, ...cells], this.#shape)))
      await once(this.#out, 'drain');
  }

  /** Puts the file into the repository; nothing happens when no row was refused. Can be called once. */
  async putInto(files: RepositoryFiles, name: string): Promise<void> {
    if (!this.#out) return;
    this.#out.end();
    await finished(this.#out);
    await files.write(name, createReadStream(this.#path));
  }

  async drop(): Promise<void> {
    this.#out?.destroy();
    await rm(this.#path, { force: true });
  }

  async #begin(): Promise<WriteStream> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const out = createWriteStream(this.#path, { mode: 0o600 });
    // A full disk shows at the next wait for the stream; without a listener it would end the process.
    out.on('error', () => undefined);
    out.write(`\ufeff${csvLine(['row', 'reason', ...this.#head], this.#shape)}`);
    return out;
  }
}
