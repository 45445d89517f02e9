import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type CsvOptions, csvLine } from '../files/csv-reader.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import { openSpool } from '../files/spool.ts';

/** Row numbers that a log lists at most. */
const maxListed = 1_000;
/** Bytes of the file: a row of a few bytes becomes twenty times as many with its number and reason. */
const maxFileBytes = 1024 ** 3;

/** One cell, so that it is refused itself when the file is imported. */
const tooMany = 'More rows were refused than this file can list: mend these, and import the rest again';

/**
 * The rows that an import refuses, with their numbers and reasons, gathered in a file on this machine until they are
 * put beside the imported file. Mended, it can be imported with the very same parameters: it is UTF-8 with a mark that
 * outweighs the code page, in the delimiters of the import, begins at its start line, and keeps the columns in their
 * places: number and reason stand behind them. A row with too few or too many cells keeps them all, so that it is
 * refused again until it is mended.
 */
export class ErrorFile {
  readonly #tmpDir: string;
  readonly #csv: CsvOptions;
  readonly #maxBytes: number;
  #bytes = 0;
  #head: readonly string[] | undefined;
  #file: FileHandle | undefined;
  #out: WriteStream | undefined;
  readonly #numbers: number[] = [];
  #count = 0;

  /**
   * @param tmpDir a folder of this machine; what is gathered there has no name and ends with the process
   * @param maxBytes further rows are counted only, and the file's last line says so
   */
  constructor(tmpDir: string, csv: CsvOptions, maxBytes = maxFileBytes) {
    this.#tmpDir = tmpDir;
    this.#csv = csv;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  /** The numbers of the first thousand rows, in order: `3,17`; with `,…` when there are more. */
  get numbers(): string {
    const shown = this.#numbers.toSorted((a, b) => a - b).slice(0, maxListed);
    return shown.join(',') + (this.#count > shown.length ? ',…' : '');
  }

  /** The names of the columns, which become the first line; a file without names has none either. */
  setHead(names: readonly string[]): void {
    this.#head = names;
  }

  async add(row: number, reason: string, cells: readonly string[]): Promise<void> {
    this.#count++;
    if (this.#numbers.length < maxListed) this.#numbers.push(row);
    if (this.#bytes > this.#maxBytes) return;
    this.#out ??= await this.#begin();
    const line = csvLine([...cells, String(row), reason], this.#csv);
    this.#bytes += Buffer.byteLength(line);
    const isFull = this.#bytes > this.#maxBytes;
    if (!this.#out.write(isFull ? csvLine([tooMany], this.#csv) : line)) await once(this.#out, 'drain');
  }

  /** Puts the file into the repository; nothing happens when no row was refused. Can be called once. */
  async putInto(files: RepositoryFiles, name: string): Promise<void> {
    if (!this.#out || !this.#file) return;
    this.#out.end();
    await finished(this.#out);
    await files.write(name, this.#file.createReadStream({ start: 0, autoClose: false }));
  }

  async drop(): Promise<void> {
    this.#out?.destroy();
    await this.#file?.close();
  }

  async #begin(): Promise<WriteStream> {
    this.#file = await openSpool(this.#tmpDir);
    const out = this.#file.createWriteStream({ autoClose: false });
    // A full disk shows at the next wait for the stream; without a listener it would end the process.
    out.on('error', () => undefined);
    // As many empty lines as the import passes over.
    const above = csvLine([], this.#csv).repeat(this.#csv.startLine - 1);
    const head = this.#head ? csvLine(withOwn(this.#head), this.#csv) : '';
    out.write(`\ufeff${above}${head}`);
    return out;
  }
}

/** Names of columns with our two behind them, which are never the same as one of theirs. */
export function withOwn(names: readonly string[]): string[] {
  const known = new Set(names.map((name) => name.trim().toLowerCase()));
  const free = (name: string): string => (known.has(name) ? free(`_${name}`) : name);
  return [...names, free('row'), free('reason')];
}
