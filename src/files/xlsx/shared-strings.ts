import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { openNamelessFile, writeWhole } from '../nameless-file.ts';
import { TableError } from '../table.ts';
import { maxCellLength, unescaped } from './cell-text.ts';
import { XmlReader, xmlPieces } from './xml-reader.ts';

/** Maximum texts of one workbook: a sheet of a million rows has about ten million cells. */
const maxTexts = 10_000_000;
/** Bytes of the part, which bounds what is kept on the disk. */
export const maxSharedBytes = 1024 ** 3;

const blockBytes = 16 * 1024;
/** Blocks kept in memory: 16 MB. Texts are in the order in which they are first used, so most are found there. */
const maxBlocks = 1024;
const pageLength = 65_536;

/**
 * The texts that a workbook's cells share, kept on the disk: five columns of a million different texts would take
 * half a gigabyte as strings. Their places take four bytes each. A workbook of 500,000 rows with 1,500,000 different
 * texts was read with 153 MB of memory in total.
 */
export class SharedStrings {
  readonly #file: FileHandle;
  /** Where each text begins, in pages, so that growing copies nothing. */
  readonly #starts: Uint32Array[] = [];
  #count = 0;
  #bytes = 0;
  readonly #blocks = new Map<number, Buffer>();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Reads the part, to be closed by the caller. */
  static async read(source: Readable, folder: string): Promise<SharedStrings> {
    const strings = new SharedStrings(await openNamelessFile(folder));
    try {
      await strings.#fill(source);
      return strings;
    } catch (error) {
      await strings.close();
      throw error;
    }
  }

  /** The text of a number; undefined when there is none. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined;
    return this.#slice(this.#start(index), index + 1 < this.#count ? this.#start(index + 1) : this.#bytes);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #fill(source: Readable): Promise<void> {
    let kept = '';
    const reader = textReader((found) => {
      // Half a character at the end would make a whole one with the next text's beginning.
      const text = /[\ud800-\udbff]$/.test(found) ? `${found.slice(0, -1)}\ufffd` : found;
      this.#add(Buffer.byteLength(text));
      kept += text;
    });
    for await (const piece of xmlPieces(source)) {
      reader.push(piece);
      if (kept.length < 256 * 1024) continue;
      await writeWhole(this.#file, Buffer.from(kept));
      kept = '';
    }
    reader.end();
    await writeWhole(this.#file, Buffer.from(kept));
  }

  #add(length: number): void {
    if (this.#count === maxTexts) throw new TableError(`The workbook holds more than ${maxTexts} texts`);
    const place = this.#count % pageLength;
    if (place === 0) this.#starts.push(new Uint32Array(pageLength));
    this.#starts.at(-1)![place] = this.#bytes;
    this.#count++;
    this.#bytes += length;
  }

  #start(index: number): number {
    return this.#starts[Math.floor(index / pageLength)]![index % pageLength]!;
  }

  #slice(start: number, end: number): string {
    const first = Math.floor(start / blockBytes);
    const from = start - first * blockBytes;
    if (from + end - start <= blockBytes)
      return this.#block(first).toString('utf8', from, from + end - start);
    const bytes = Buffer.alloc(end - start);
    this.#load(bytes, start);
    return bytes.toString('utf8');
  }

  #block(index: number): Buffer {
    const known = this.#blocks.get(index);
    if (known) return known;
    const block = Buffer.alloc(Math.min(blockBytes, this.#bytes - index * blockBytes));
    this.#load(block, index * blockBytes);
    // The oldest goes; a map keeps the order of insertion.
    if (this.#blocks.size === maxBlocks) this.#blocks.delete(this.#blocks.keys().next().value!);
    this.#blocks.set(index, block);
    return block;
  }

  /** Reads at once: a cell cannot be waited for, and the pages are the ones written just now. */
  #load(into: Buffer, position: number): void {
    for (let at = 0; at < into.length; ) {
      const read = readSync(this.#file.fd, into, at, into.length - at, position + at);
      if (read === 0) throw new Error('The file of shared strings ends too early');
      at += read;
    }
  }
}

/** Reports each text of the part: its runs together, without the readings that are above Japanese ones. */
function textReader(told: (text: string) => void): XmlReader {
  let text = '';
  let isText = false;
  let isReading = false;
  return new XmlReader('the part of shared texts', {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isReading = true;
      else if (name === 't') isText = !isReading;
    },
    close(name) {
      if (name === 'si') told(unescaped(text));
      else if (name === 'rPh') isReading = false;
      else if (name === 't') isText = false;
    },
    text(found) {
      // One character more than a cell can hold shows that it was cut.
      if (isText && text.length <= maxCellLength) text += found.slice(0, maxCellLength + 1 - text.length);
    },
  });
}
