import { pipeline, Readable, Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Refusal } from '../platform/http/refusal.ts';
import { type CsvOptions, readCsv } from './csv-reader.ts';
import { FolderError, sftpDenied } from './folder-error.ts';
import { intoNamelessFile } from './nameless-file.ts';
import { isSameFile, type RepositoryFiles } from './repository.ts';
import { ChangingFile, shown, TableError, type TableRecord } from './table.ts';
import { capped, inflated } from './unpacked.ts';
import { maxSharedBytes, SharedStrings } from './xlsx/shared-strings.ts';
import { SheetReader } from './xlsx/sheet.ts';
import { isWorkbook, openWorkbook } from './xlsx/workbook.ts';
import { xmlPieces } from './xlsx/xml-reader.ts';
import { ZipArchive } from './zip-archive.ts';

/** How a table file is read: what it is, its content says itself. */
export interface TableFormat {
  readonly csv: CsvOptions;
  /** For a workbook: the sheet to read; '' for the first one. */
  readonly sheetName: string;
  /** For a sheet: minimum number of cells of a row; the maximum is the first row's. Null if the width is unknown. */
  readonly leastColumns: number | null;
}

export interface Reading {
  readonly format: TableFormat;
  /** A folder for what is needed in another order than it comes. */
  readonly tmpDir: string;
  /** Called with the share of the file that is read, from 0 to 1. */
  progress?(share: number): Promise<void>;
  /** Called for a workbook, before its records, with the sheet that is read and the names of all sheets. */
  foundSheets?(sheetName: string, sheetNames: readonly string[]): void;
}

/** The most that is kept on the disk of a file that must be there whole: a .zip or a workbook. */
const maxArchiveBytes = 2 * 1024 ** 3;

/**
 * Reads a table file of a repository as records, in groups: CSV or XLSX, plain, in .gz, or alone in a .zip. The content
 * determines the format; a name that promises another packing is refused. Memory does not grow with the file. Faulty
 * records are returned with their fault.
 * @throws TableError if the file cannot be read as a table, ChangingFile if it has changed in the meantime; 503, or the
 * error of the connection, if the repository is unavailable: that may have ended by the next attempt
 */
export async function* readTable(
  files: Pick<RepositoryFiles, 'stat' | 'read' | 'settlesMs'> & Partial<Pick<RepositoryFiles, 'place'>>,
  filename: string,
  reading: Reading,
): AsyncGenerator<TableRecord[]> {
  const stat = await files.stat(filename).catch(unreadable);
  const place = files.place === undefined ? '' : ` in ${files.place}`;
  if (!stat) throw new TableError(`The file ${filename} does not exist${place}`);
  const settled = pause(files.settlesMs);
  const source = await files.read(filename).catch(unreadable);
  // A change after the first look shows, once the time has passed that the repository's clock may not tell.
  const refuseChanged = async () => {
    await settled;
    const after = await files.stat(filename).catch(unreadable);
    if (!after || !isSameFile(stat, after)) throw new ChangingFile(filename);
  };
  const content = new Content(reading);
  const metered = content.metered(source, stat.size);
  try {
    yield* content.records(filename, metered);
    await refuseChanged();
  } catch (error) {
    // Half an archive is damaged.
    if (error instanceof TableError) await refuseChanged();
    // A server elsewhere may say only at the first byte that it is not to be read.
    unreadable(error);
  } finally {
    metered.destroy();
    source.destroy();
    await content.close();
  }
}

/** Throws a repository's error; a rejected name, or a file behind a link, as TableError. Other errors may pass. */
function unreadable(error: unknown): never {
  const isRefused = error instanceof Refusal && error.status !== 503;
  const isDenied = error instanceof FolderError && error.code !== 'failed';
  if (isRefused || isDenied || (error as { code?: unknown }).code === sftpDenied)
    throw new TableError(`The file cannot be read: ${(error as Error).message}`);
  throw error;
}

/** One reading of one file, with what it has open. */
class Content {
  readonly #reading: Reading;
  readonly #open: { close(): Promise<void> }[] = [];
  /** Which part of the whole the bytes that are metered just now are. */
  #from = 0;
  #share = 1;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  async close(): Promise<void> {
    for (const one of this.#open.reverse()) await one.close();
  }

  metered(source: Readable, size: number): Readable {
    const { progress } = this.#reading;
    let bytes = 0;
    const meter = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        const share = this.#from + this.#share * Math.min(1, size > 0 ? bytes / size : 1);
        if (progress) progress(share).then(() => done(null, chunk), done);
        else done(null, chunk);
      },
    });
    // The error reaches the reader through the meter; the callback only keeps it from being thrown twice.
    return pipeline(source, meter, () => undefined);
  }

  /** @param outer the packing that the content was found in */
  async *records(name: string, source: Readable, outer?: 'gzip' | 'zip'): AsyncGenerator<TableRecord[]> {
    const { head, whole } = await peeked(source);
    const kind = kindOf(head);
    const promised = promisedBy(name);
    if (promised && kind !== promised) {
      const named = shown(name.slice(name.lastIndexOf('/') + 1));
      throw new TableError(`The file cannot be unpacked: ${named} is not what its name says (${promised})`);
    }
    if (kind === 'gzip') {
      if (outer) throw new TableError('The file is packed twice');
      yield* this.records(name.replace(/\.gz$/i, ''), inflated(whole, createGunzip()), 'gzip');
    } else if (kind === 'zip') yield* this.#archive(whole, outer);
    else yield* readCsv(outer ? whole : capped(whole), this.#reading.format.csv);
  }

  async *#archive(source: Readable, outer: 'gzip' | 'zip' | undefined): AsyncGenerator<TableRecord[]> {
    const file = await this.#during(archiveShare, () =>
      intoNamelessFile(source as AsyncIterable<Buffer>, this.#reading.tmpDir, maxArchiveBytes),
    );
    this.#open.push(file);
    const archive = await ZipArchive.open(file);
    if (isWorkbook(archive)) return yield* this.#sheet(archive);
    if (outer) throw new TableError('The file is packed twice');
    const name = onlyTable(archive.names);
    yield* this.records(name, await this.#entry(archive, name), 'zip');
  }

  /** Does a part of the reading that is so much of what is left of it. */
  async #during<T>(share: number, work: () => Promise<T>): Promise<T> {
    const left = this.#share;
    this.#share = left * share;
    const done = await work();
    this.#from += this.#share;
    this.#share = left - this.#share;
    return done;
  }

  /** Returns an entry's content; reading it is the reported progress. */
  async #entry(archive: ZipArchive, name: string, maxBytes?: number): Promise<Readable> {
    const meter = (packed: Readable, size: number) => this.metered(packed, size);
    const content = await archive.read(name, { meter, ...(maxBytes !== undefined && { maxBytes }) });
    this.#open.push({ close: async () => void content.destroy() });
    return content;
  }

  async *#sheet(archive: ZipArchive): AsyncGenerator<TableRecord[]> {
    const { format, tmpDir, foundSheets } = this.#reading;
    const book = await openWorkbook(archive, format.sheetName);
    foundSheets?.(book.sheetName, book.sheetNames);
    const part = book.sharedStrings;
    let strings: SharedStrings | undefined;
    if (part !== undefined && archive.has(part)) {
      strings = await this.#during(stringsShare, async () =>
        SharedStrings.read(await this.#entry(archive, part, maxSharedBytes), tmpDir),
      );
      this.#open.push(strings);
    }
    const reader = new SheetReader({
      textAt: (index) => strings?.at(index),
      kinds: book.kinds,
      has1904: book.has1904,
      startLine: format.csv.startLine,
      leastColumns: format.leastColumns,
      packedBytes: archive.size,
    });
    for await (const piece of xmlPieces(await this.#entry(archive, book.sheet))) {
      const records = reader.push(piece);
      if (records.length > 0) yield records;
    }
    reader.end();
  }
}

/** How much of the work is bringing an archive here, roughly. */
const archiveShare = 0.1;
/** Share of the progress for the texts that the cells of a sheet share. */
const stringsShare = 0.3;

type Packing = 'gzip' | 'zip';

/** First bytes by which packings that are not read give themselves away. */
const foreign: readonly (readonly [string, string])[] = [
  ['d0cf11e0a1b11ae1', 'an .xls file, or a workbook with a password: save it as XLSX without one'],
  ['377abcaf271c', 'a .7z archive: send the file plain, as .gz or as .zip'],
  ['526172211a07', 'a .rar archive: send the file plain, as .gz or as .zip'],
  ['fd377a585a00', 'an .xz file: send it plain, as .gz or as .zip'],
  ['28b52ffd', 'a .zst file: send it plain, as .gz or as .zip'],
  ['255044462d', 'a PDF: send a CSV or XLSX file'],
];

/** Returns the kind of packing by the first bytes, with which no text of any code page begins. @throws TableError */
function kindOf(head: Buffer): Packing | undefined {
  const hex = head.toString('hex');
  const found = foreign.find(([bytes]) => hex.startsWith(bytes));
  if (found) throw new TableError(`The file is ${found[1]}`);
  if (hex.startsWith('1f8b08')) return 'gzip';
  return hex.startsWith('504b0304') || hex.startsWith('504b0506') ? 'zip' : undefined;
}

function promisedBy(name: string): Packing | undefined {
  if (/\.gz$/i.test(name)) return 'gzip';
  return /\.(zip|xlsx|xlsm)$/i.test(name) ? 'zip' : undefined;
}

/** The one file of an archive; what macOS and Windows add on their own does not count. */
function onlyTable(names: readonly string[]): string {
  const tables = names.filter((name) => !/(^|\/)(__MACOSX\/.*|\._[^/]*|\.DS_Store|Thumbs\.db)$/i.test(name));
  const [name] = tables;
  if (name !== undefined && tables.length === 1) return name;
  throw new TableError(`The zip archive must contain one file; it contains ${tables.length}`);
}

/** The first bytes of a content, and the whole content again. */
async function peeked(source: Readable): Promise<{ head: Buffer; whole: Readable }> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head: Buffer = Buffer.alloc(0);
  while (head.length < longestMark) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  async function* again(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      // Anyone who stops reading here stops the source.
      await chunks.return?.();
    }
  }
  const whole = Readable.from(again(), { objectMode: false, highWaterMark: 256 * 1024 });
  return { head: head.subarray(0, longestMark), whole };
}
const longestMark = 8;
