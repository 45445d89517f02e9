import { foreignBytesFault, maxRecordLength, type TableRecord, tooLongFault } from './table.ts';

export interface CsvShape {
  readonly delimiter: string;
  /** The mark that encloses text with a delimiter in it, doubled to mean itself; '' for none. */
  readonly qualifier: string;
  /** The end of a record; `lines` is LF or CR LF, whichever comes. */
  readonly rowDelimiter: string;
}

const needMore = -1;

/**
 * Cuts text into records as it comes: RFC 4180 with any delimiters. Faults never stop it: a qualifier that is never
 * closed costs its line only, the reading continues at the next one.
 *
 * csv-parse reads 27 MB/s where this reads 76 (bench/csv.ts), and after an unclosed qualifier it swallows the rest of
 * the file; docs/decisions/files.md. The tests compare the two on files that both can read.
 */
export class CsvSplitter {
  readonly #shape: CsvShape;
  readonly #isLines: boolean;
  readonly #rowEnd: string;
  #rest = '';
  #lookAgainAt = 0;
  #line: number;
  /** Inside a record that was too long: everything up to the next row end is dropped. */
  #isDropping = false;
  readonly #qualifiers: Finder;
  readonly #delimiters: Finder;
  readonly #rowEnds: Finder;
  #hasOddities = false;
  #skip: number;
  /** Characters behind a closing qualifier that must be known before it is taken for one. */
  readonly #lookAhead: number;

  /** @param startLine the line, from 1, at which reading begins; what is above is passed over unread. */
  constructor(shape: CsvShape, startLine = 1) {
    this.#shape = shape;
    this.#isLines = shape.rowDelimiter === 'lines';
    this.#rowEnd = this.#isLines ? '\n' : shape.rowDelimiter;
    this.#skip = startLine - 1;
    this.#line = 1;
    this.#lookAhead = Math.max(shape.delimiter.length, this.#rowEnd.length + 1, shape.qualifier.length);
    this.#qualifiers = new Finder(shape.qualifier);
    this.#delimiters = new Finder(shape.delimiter);
    this.#rowEnds = new Finder(this.#rowEnd);
  }

  /**
   * The records that are complete with this piece of text, in groups that take some milliseconds each; to be run to
   * the end before the next piece. One piece may complete hundreds of thousands, a megabyte that waited for a closing
   * qualifier.
   */
  push(piece: string): Generator<TableRecord[], void> {
    return this.#split(piece, false);
  }

  /** Returns the rest when the text has ended. */
  end(): Generator<TableRecord[], void> {
    return this.#split('', true);
  }

  *#split(piece: string, isEnd: boolean): Generator<TableRecord[], void> {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    if (text.length < this.#lookAgainAt && !isEnd) {
      this.#rest = text;
      return;
    }
    // Looked for once in each piece, so that clean text pays nothing per record.
    this.#hasOddities = /[\0\ufffd]/.test(text);
    for (const finder of [this.#qualifiers, this.#delimiters, this.#rowEnds]) finder.reset();
    let records: TableRecord[] = [];
    let at = this.#passOver(text, isEnd);
    let groupAt = at;
    while (at < text.length) {
      const next = this.#record(text, at, isEnd, records);
      if (next === needMore) break;
      at = next;
      if (records.length < groupRecords && at - groupAt < groupLength) continue;
      if (records.length > 0) yield records;
      records = [];
      groupAt = at;
    }
    this.#rest = at === 0 ? text : text.slice(at);
    // A long record is looked at again when it has doubled, so that one that comes in many pieces costs no more.
    const length = this.#rest.length;
    this.#lookAgainAt = length < 65_536 ? 0 : Math.min(2 * length, maxRecordLength + 1);
    if (records.length > 0) yield records;
  }

  /** Passes over the lines above the start line, and the rest of a record that was too long. */
  #passOver(text: string, isEnd: boolean): number {
    let at = 0;
    while (this.#skip > 0 || this.#isDropping) {
      const end = text.indexOf(this.#rowEnd, at);
      // A row end of several characters may be cut in two between pieces.
      if (end < 0) return isEnd ? text.length : Math.max(at, text.length - this.#rowEnd.length + 1);
      at = end + this.#rowEnd.length;
      this.#line++;
      if (this.#isDropping) this.#isDropping = false;
      else this.#skip--;
    }
    return at;
  }

  /** Reads the record at `at` into `records`; where the next one begins. */
  #record(text: string, at: number, isEnd: boolean, records: TableRecord[]): number {
    const end = this.#rowEnds.from(text, at);
    if (this.#shape.qualifier !== '' && this.#qualifiers.from(text, at) < end) {
      return this.#qualified(text, at, isEnd, records);
    }
    if (end === text.length && !isEnd) return this.#tooLong(text, at, records);
    this.#plain(text, at, end, records);
    return end + this.#rowEnd.length;
  }

  /** A record without any qualifier: most of them. */
  #plain(text: string, at: number, end: number, records: TableRecord[]): void {
    const stop = this.#beforeCr(text, at, end);
    if (stop > at) {
      const row = text.slice(at, stop);
      const fault = stop - at > maxRecordLength ? tooLongFault : this.#faultOf(row);
      this.#add(
        records,
        fault
          ? { cells: this.#asItStands(text, at, end), fault }
          : { cells: row.split(this.#shape.delimiter) },
      );
    }
    this.#line++;
  }

  #qualified(text: string, at: number, isEnd: boolean, records: TableRecord[]): number {
    const { delimiter, qualifier } = this.#shape;
    const cells: string[] = [];
    let from = at;
    let fault: string | undefined;
    for (;;) {
      let stop = from;
      const isQualified = text.startsWith(qualifier, from);
      if (isQualified) {
        const close = this.#closing(text, from + qualifier.length);
        if (close < 0) return this.#notClosed(text, at, isEnd, records);
        cells.push(text.slice(from + qualifier.length, close).replaceAll(qualifier + qualifier, qualifier));
        stop = close + qualifier.length;
      }
      // Where the cell ends: at a delimiter, at a row end, or with the text.
      const rowEnd = this.#rowEnds.from(text, stop);
      const cellEnd = Math.min(this.#delimiters.from(text, stop), rowEnd);
      // A delimiter, or a doubled qualifier, may be cut in two between pieces.
      if (!isEnd && (cellEnd === text.length || stop + this.#lookAhead > text.length)) {
        return this.#tooLong(text, at, records);
      }
      const shownEnd = cellEnd === rowEnd ? this.#beforeCr(text, stop, cellEnd) : cellEnd;
      if (!isQualified) cells.push(text.slice(from, shownEnd));
      else if (shownEnd > stop) fault ??= 'text follows the closing text qualifier';
      if (cellEnd === rowEnd) return this.#finish(text, at, rowEnd, isEnd, { cells, fault }, records);
      from = cellEnd + delimiter.length;
    }
  }

  /** The end of what is before a row end, without the CR of a CR LF. */
  #beforeCr(text: string, from: number, end: number): number {
    return this.#isLines && end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
  }

  #finish(
    text: string,
    at: number,
    end: number,
    isEnd: boolean,
    found: Pick<TableRecord, 'cells' | 'fault'>,
    records: TableRecord[],
  ): number {
    const row = text.slice(at, end);
    // Text behind a closing qualifier lines further on: the cell was never closed, and this opens another one.
    if (found.fault && row.includes(this.#rowEnd)) return this.#giveUp(text, at, isEnd, records);
    const fault = found.fault ?? (row.length > maxRecordLength ? tooLongFault : this.#faultOf(row));
    this.#add(records, fault ? { cells: this.#asItStands(text, at, end), fault } : { cells: found.cells });
    this.#line += this.#isLines ? countOf(row, '\n') + 1 : 1;
    return end + this.#rowEnd.length;
  }

  /** Returns the position of the qualifier that closes a cell, or -1. */
  #closing(text: string, from: number): number {
    const { qualifier } = this.#shape;
    let at = text.indexOf(qualifier, from);
    while (at >= 0 && text.startsWith(qualifier, at + qualifier.length)) {
      at = text.indexOf(qualifier, at + 2 * qualifier.length);
    }
    return at;
  }

  /** No closing qualifier so far: waits for it, unless the record is too long. */
  #notClosed(text: string, at: number, isEnd: boolean, records: TableRecord[]): number {
    return isEnd || text.length - at > maxRecordLength ? this.#giveUp(text, at, isEnd, records) : needMore;
  }

  /** Gives up one line whose qualifier is not closed, and looks at what follows it a second time, never a third. */
  #giveUp(text: string, at: number, isEnd: boolean, records: TableRecord[]): number {
    const end = indexOrEnd(text, this.#rowEnd, at);
    const cells = this.#asItStands(text, at, end);
    this.#add(records, { cells, fault: 'the text qualifier is not closed' });
    if (end === text.length && !isEnd) this.#isDropping = true;
    else this.#line++;
    return Math.min(text.length, end + this.#rowEnd.length);
  }

  /** An incomplete record: waits for its end, unless it is too long; then drops the rest of it. */
  #tooLong(text: string, at: number, records: TableRecord[]): number {
    if (text.length - at <= maxRecordLength) return needMore;
    this.#add(records, { cells: this.#asItStands(text, at, text.length), fault: tooLongFault });
    this.#isDropping = true;
    return text.length - this.#rowEnd.length + 1;
  }

  /** The cells of a faulty record for the report: qualifiers and all, but nothing of its row end. */
  #asItStands(text: string, at: number, end: number): string[] {
    const stop = Math.min(this.#beforeCr(text, at, end), at + reportLength);
    return text.slice(at, stop).split(this.#shape.delimiter);
  }

  #faultOf(row: string): string | undefined {
    if (!this.#hasOddities) return undefined;
    if (row.includes('\0')) return 'holds a NUL character';
    if (row.includes('\ufffd')) return foreignBytesFault;
    return undefined;
  }

  #add(records: TableRecord[], record: Omit<TableRecord, 'line'>): void {
    records.push({ line: this.#line, ...record });
  }
}

/** Finds a string again and again, further and further on; each stretch of the text is searched once. */
class Finder {
  readonly #search: string;
  #from = 0;
  #found = -1;

  constructor(search: string) {
    this.#search = search;
  }

  /** To be called when the text is another one. */
  reset(): void {
    this.#found = -1;
  }

  /** The first place at or behind `at`; the text's length when there is none. */
  from(text: string, at: number): number {
    if (at < this.#from || at > this.#found) {
      this.#from = at;
      this.#found = indexOrEnd(text, this.#search, at);
    }
    return this.#found;
  }
}

/** Maximum records, and characters, of a group. */
const groupRecords = 4_096;
const groupLength = 65_536;

const reportLength = 2_000;

function indexOrEnd(text: string, search: string, from: number): number {
  const at = text.indexOf(search, from);
  return at < 0 ? text.length : at;
}

function countOf(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count++;
  return count;
}
