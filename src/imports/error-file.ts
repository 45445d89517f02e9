import { constants, type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CsvOptions, csvLine } from '../files/csv-reader.ts';
import { writeWhole } from '../files/nameless-file.ts';

/** Row numbers that a log lists at most. */
const maxListed = 1_000;
/** Bytes of the file: a row of a few bytes becomes twenty times as many with its number and reason. */
export const maxFileBytes = 1024 ** 3;

/** Emptied, and written to at its end, wherever that comes to be. */
const asNew = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

const pieceBytes = 64 * 1024;

/** A place in the file, to which it can go back. */
export interface ErrorMark {
  readonly size: number;
  readonly bytes: number;
  readonly count: number;
  readonly listed: number;
}

/** One cell, so that it is refused itself when the file is imported. */
const tooMany = 'More rows were rejected than this file can list: fix these, and import the rest again';

/**
 * Collects the rejected rows of an import, with their numbers and reasons, in a local file until it is delivered beside
 * the imported file (error-delivery.ts). Once fixed, the file can be imported with the very same parameters. It is
 * UTF-8 with a byte-order mark that overrides the code page, uses the import's delimiters, begins at its start line,
 * and keeps the columns in place, with number and reason behind them. A row with too few or too many cells keeps them
 * all, so it is rejected again until it is fixed.
 */
export class ErrorFile {
  readonly #path: string;
  readonly #csv: CsvOptions;
  readonly #maxBytes: number;
  /** The sizes of the whole file and of its rows. */
  #size = 0;
  #bytes = 0;
  #head: readonly string[] | undefined;
  #file: FileHandle | undefined;
  #unwritten: string[] = [];
  #unwrittenBytes = 0;
  #isKept = false;
  readonly #numbers: number[] = [];
  #count = 0;

  /**
   * @param path where the file is created, with its folder, at the first row; an existing file is overwritten
   * @param maxBytes further rows are counted only, and the file's last line says so
   */
  constructor(path: string, csv: CsvOptions, maxBytes = maxFileBytes) {
    this.#path = path;
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

  /** @param cells undefined when there was no room to keep them: nothing is listed from there on. */
  async add(row: number, reason: string, cells: readonly string[] | undefined): Promise<void> {
    this.#count++;
    if (this.#numbers.length < maxListed) this.#numbers.push(row);
    if (this.#bytes > this.#maxBytes) return;
    if (this.#size === 0) await this.#begin();
    const line = csvLine([...(cells ?? []), String(row), reason], this.#csv);
    this.#bytes += cells ? Buffer.byteLength(line) : this.#maxBytes + 1;
    const isFull = this.#bytes > this.#maxBytes;
    await this.#write(isFull ? csvLine([tooMany], this.#csv) : line);
  }

  /** Where it ends now. */
  mark(): ErrorMark {
    return { size: this.#size, bytes: this.#bytes, count: this.#count, listed: this.#numbers.length };
  }

  /** Forgets the rows that came after a mark. */
  async backTo({ size, bytes, count, listed }: ErrorMark): Promise<void> {
    this.#bytes = bytes;
    this.#count = count;
    this.#numbers.length = listed;
    if (!this.#file || this.#size === size) return;
    await this.#flush();
    await this.#file.truncate(size);
    this.#size = size;
  }

  /** Leaves the file on the disk, durable, for anyone who knows its path. Once; returns whether a row was refused. */
  async keep(): Promise<boolean> {
    if (!this.#file || this.#size === 0) return false;
    await this.#flush();
    await this.#file.sync();
    const folder = await open(dirname(this.#path));
    await folder.sync().finally(() => folder.close());
    this.#isKept = true;
    return true;
  }

  /** Closes the file, and removes it unless it is kept. */
  async drop(): Promise<void> {
    await this.#file?.close();
    if (this.#file && !this.#isKept) await rm(this.#path, { force: true });
  }

  async #begin(): Promise<void> {
    if (!this.#file) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file = await open(this.#path, asNew, 0o600);
    }
    // As many empty lines as the import passes over.
    const above = csvLine([], this.#csv).repeat(this.#csv.startLine - 1);
    const head = this.#head ? csvLine(withOwn(this.#head), this.#csv) : '';
    await this.#write(`\ufeff${above}${head}`);
  }

  async #write(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    this.#size += bytes;
    this.#unwrittenBytes += bytes;
    this.#unwritten.push(text);
    if (this.#unwrittenBytes >= pieceBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#unwritten.join('');
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
    await writeWhole(this.#file!, Buffer.from(text));
  }
}

/** Returns the names of columns followed by our two, whose names are not among them. */
export function withOwn(names: readonly string[]): string[] {
  const known = new Set(names.map((name) => name.trim().toLowerCase()));
  const free = (name: string): string => (known.has(name) ? free(`_${name}`) : name);
  return [...names, free('row'), free('reason')];
}
