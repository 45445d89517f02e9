import type { FileHandle } from 'node:fs/promises';
import { openNamelessFile, writeWhole } from '../files/nameless-file.ts';
import { maxFileBytes } from './error-file.ts';
import { RowSet } from './row-set.ts';

/** Before each row: its number and the bytes of its cells, 32 bits each. */
const headBytes = 8;
const pieceBytes = 256 * 1024;

/**
 * Cells of the rows that a merge refuses, on the disk of this machine: the merge itself must not wait for the
 * repository that holds them. They are written once and read once, both in the order of the file, so that of however
 * many rows memory holds a bit each and one piece.
 */
export class RefusedCells {
  readonly #tmpDir: string;
  readonly #maxBytes: number;
  #rows = new RowSet();
  #file: FileHandle | undefined;
  #bytes = 0;
  #unwritten: Buffer[] = [];
  #unwrittenBytes = 0;

  /** @param maxBytes rows from there on are known, without their cells: no file of rejected rows has room for them */
  constructor(tmpDir: string, maxBytes = maxFileBytes) {
    this.#tmpDir = tmpDir;
    this.#maxBytes = maxBytes;
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Adds rows to the held ones, from `records` by rising number; all stay in order. Returns whether all were found. */
  async fill(
    rows: RowSet,
    records: AsyncIterable<readonly { readonly line: number; readonly cells: readonly string[] }[]>,
  ): Promise<boolean> {
    const before = this.#rows;
    this.#rows = new RowSet();
    this.#bytes = 0;
    await this.#file?.close();
    this.#file = await openNamelessFile(this.#tmpDir);
    let found = 0;
    for await (const group of records) {
      for (const { line, cells } of group) {
        if (!rows.has(line) && !before.has(line)) continue;
        if (rows.has(line)) found++;
        await this.#add(line, cells);
      }
    }
    await this.#flush();
    return found === rows.size;
  }

  /** Looks rows up one after another, by rising number; undefined when there was no room for its cells. */
  lookUp(): (row: number) => Promise<readonly string[] | undefined> {
    const kept = this.#read();
    let next: IteratorResult<KeptRow, void> | undefined;
    return async (row) => {
      next ??= await kept.next();
      while (!next.done && next.value.row < row) next = await kept.next();
      return !next.done && next.value.row === row ? JSON.parse(next.value.text) : undefined;
    };
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #add(row: number, cells: readonly string[]): Promise<void> {
    this.#rows.add(row);
    if (this.#bytes > this.#maxBytes) return;
    const text = Buffer.from(JSON.stringify(cells));
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(row, 0);
    head.writeUInt32LE(text.length, 4);
    this.#unwritten.push(head, text);
    this.#unwrittenBytes += headBytes + text.length;
    this.#bytes += headBytes + text.length;
    if (this.#unwrittenBytes >= pieceBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    await writeWhole(this.#file!, Buffer.concat(this.#unwritten));
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
  }

  async *#read(): AsyncGenerator<KeptRow, void> {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; at < this.#bytes; ) {
      const piece = Buffer.alloc(Math.max(pieceBytes, wantedOf(rest) - rest.length));
      const { bytesRead } = await this.#file!.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error('The file of rejected cells ended early');
      at += bytesRead;
      rest = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
      let begin = 0;
      for (let row = rowAt(rest, begin); row; row = rowAt(rest, begin)) {
        yield { row: row.row, text: rest.toString('utf8', begin + headBytes, row.end) };
        begin = row.end;
      }
      rest = rest.subarray(begin);
    }
  }
}

interface KeptRow {
  readonly row: number;
  readonly text: string;
}

/** Bytes of the row that begins here, as far as they are known. */
const wantedOf = (bytes: Buffer): number =>
  bytes.length < headBytes ? headBytes : headBytes + bytes.readUInt32LE(4);

/** The row that begins here; undefined when it is not here whole. */
function rowAt(bytes: Buffer, begin: number): { row: number; end: number } | undefined {
  if (bytes.length < begin + headBytes) return undefined;
  const end = begin + headBytes + bytes.readUInt32LE(begin + 4);
  return end <= bytes.length ? { row: bytes.readUInt32LE(begin), end } : undefined;
}
