import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable, Transform } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { shown, TableError } from './table.ts';
import { capped, inflated, maxFileBytes, sizeText } from './unpacked.ts';

/** Entries of one archive; a workbook with a thousand pictures has fewer. */
const maxEntries = 10_000;
/** Bytes of their names, comments and further fields, all of which are kept: each may have 64 kB of the three. */
const maxDirectoryBytes = 8 * 1024 ** 2;

/** A zip archive on the disk: its entries by name. Names are compared and shown, never used as paths. */
export class ZipArchive {
  readonly #zip: yauzl.ZipFile;
  readonly #file: FileHandle;
  readonly #entries: ReadonlyMap<string, yauzl.Entry>;
  readonly size: number;

  private constructor(zip: yauzl.ZipFile, file: FileHandle, entries: ReadonlyMap<string, yauzl.Entry>) {
    this.#zip = zip;
    this.#file = file;
    this.#entries = entries;
    this.size = zip.fileSize;
  }

  /** Reads what an archive holds; the file stays the caller's to close. @throws TableError for one that is broken */
  static async open(file: FileHandle): Promise<ZipArchive> {
    try {
      const zip = await yauzl.fromFdPromise(file.fd, { autoClose: false });
      // Its errors come back from the calls; without a listener one in between would end the process.
      zip.on('error', () => undefined);
      if (zip.entryCount > maxEntries) {
        throw new TableError(`The zip archive holds ${zip.entryCount} entries, more than ${maxEntries}`);
      }
      const entries = new Map<string, yauzl.Entry>();
      let bytes = 0;
      for await (const entry of zip.eachEntry()) {
        bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (bytes > maxDirectoryBytes) {
          throw new TableError(
            `The zip archive holds names and comments of more than ${sizeText(maxDirectoryBytes)}`,
          );
        }
        const name = entry.fileName;
        if (entries.has(keyOf(name))) throw new TableError(`The zip archive holds ${shown(name)} twice`);
        entries.set(keyOf(name), entry);
      }
      return new ZipArchive(zip, file, entries);
    } catch (error) {
      throw broken(error);
    }
  }

  /** The names of its files, without directories. */
  get names(): readonly string[] {
    return [...this.#entries.values()].map((entry) => entry.fileName).filter((name) => !name.endsWith('/'));
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** Reads an entry, checked against its checksum and for bombs. @param meter counts its packed bytes */
  async read(
    name: string,
    {
      maxBytes = maxFileBytes,
      meter,
    }: { maxBytes?: number; meter?: (source: Readable, size: number) => Readable } = {},
  ): Promise<Readable> {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) throw new TableError(`The zip archive does not hold ${shown(name)}`);
    if (entry.isEncrypted()) throw new TableError(`${shown(name)} in the zip archive is encrypted`);
    const { fileDataStart: start } = await this.#zip
      .readLocalFileHeaderPromise(entry, { minimal: true })
      .catch((error: unknown) => Promise.reject(broken(error)));
    const size = entry.compressedSize;
    const stored =
      size === 0
        ? Readable.from([])
        : this.#file.createReadStream({
            start,
            end: start + size - 1,
            autoClose: false,
            highWaterMark: 65_536,
          });
    const packed = meter ? meter(stored, size) : stored;
    const content = unpackedBy(entry.compressionMethod, packed, maxBytes);
    if (!content) throw new TableError(`${shown(name)} in the zip archive is packed in an unknown way`);
    return pipeline(content, checked(entry), () => undefined);
  }
}

/** Parts of a workbook are named ignoring case. */
const keyOf = (name: string): string => name.toLowerCase();

function unpackedBy(method: number, packed: Readable, maxBytes: number): Readable | undefined {
  if (method === 0) return capped(packed, maxBytes);
  return method === 8 ? inflated(packed, createInflateRaw(), maxBytes) : undefined;
}

function checked(entry: yauzl.Entry): Transform {
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush(done) {
      done(sum === entry.crc32 ? null : new TableError('The zip archive is damaged: a checksum is wrong'));
    },
  });
}

function broken(error: unknown): unknown {
  if (error instanceof TableError || (error as NodeJS.ErrnoException).syscall) return error;
  return new TableError(`The zip archive cannot be read: ${shown((error as Error).message)}`);
}
