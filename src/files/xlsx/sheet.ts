import {
  maxRecordLength,
  maxWidth,
  type SpecialCell,
  shown,
  TableError,
  type TableRecord,
  tooLongFault,
} from '../table.ts';
import { bombMessage, isBomb } from '../unpacked.ts';
import { columnOf, maxCellLength, maxRows, unescaped } from './cell-text.ts';
import { type NumberKind, numberText } from './number-format.ts';
import { isTrue } from './workbook.ts';
import { XmlReader } from './xml-reader.ts';

export interface SheetParts {
  /** The text of a shared string; undefined when there is none of that number. */
  textAt(index: number): string | undefined;
  readonly kinds: readonly NumberKind[];
  readonly has1904: boolean;
  /** The first row that is read, from 1. */
  readonly startLine: number;
  /** Minimum number of cells of every row; none has more than the first row. Null: each row keeps its own width. */
  readonly leastColumns: number | null;
  /** Bytes of the whole archive: rows that are much more than it are a bomb. */
  readonly packedBytes: number;
}

const maxReported = 200;

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  text: string;
  hasFormula: boolean;
}

/** Reads records from a sheet's XML. Missing cells are empty, empty rows are skipped, rows keep their numbers. */
export class SheetReader {
  readonly #parts: SheetParts;
  readonly #xml: XmlReader;
  #records: TableRecord[] = [];
  #isInData = false;
  #line = 0;
  #width: number | undefined;
  #cell: OpenCell | undefined;
  #isText = false;
  #isReading = false;
  #nextColumn = 0;
  #cells: string[] = [];
  #special = new Map<number, SpecialCell>();
  #length = 0;
  #fault: string | undefined;
  #delivered = 0;

  constructor(parts: SheetParts) {
    this.#parts = parts;
    this.#xml = new XmlReader('the sheet', {
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => this.#text(text),
    });
  }

  /** The records that are complete with this piece. */
  push(piece: string): TableRecord[] {
    this.#xml.push(piece);
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** @throws TableError when the sheet ends too early */
  end(): void {
    this.#xml.end();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.#isInData = true;
    if (!this.#isInData) return;
    if (name === 'row') this.#openRow(attributes.r);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'rPh') this.#isReading = true;
    else if (name === 'v' || name === 't') this.#isText = !this.#isReading;
    else if (name === 'f' && this.#cell) this.#cell.hasFormula = true;
  }

  #close(name: string): void {
    if (!this.#isInData) return;
    if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (name === 'rPh') this.#isReading = false;
    else if (name === 'v' || name === 't') this.#isText = false;
    else if (name === 'sheetData') this.#isInData = false;
  }

  #text(text: string): void {
    const cell = this.#cell;
    // One character more than a cell can hold shows that it was cut.
    if (cell && this.#isText && cell.text.length <= maxCellLength)
      cell.text += text.slice(0, maxCellLength + 1 - cell.text.length);
  }

  #openRow(r: string | undefined): void {
    const line = r === undefined ? this.#line + 1 : Number(r);
    if (!Number.isInteger(line) || line <= this.#line) {
      throw new TableError(`The sheet cannot be read: row ${shown(r ?? '')} follows row ${this.#line}`);
    }
    if (line > maxRows) throw new TableError(`The sheet has more than ${maxRows} rows`);
    this.#line = line;
    this.#nextColumn = 0;
    this.#length = 0;
    this.#fault = undefined;
    this.#cells = [];
    if (this.#special.size > 0) this.#special = new Map();
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#nextColumn : columnOf(r);
    if (column === undefined)
      throw new TableError(`The sheet cannot be read: ${shown(r ?? '')} is not a cell`);
    this.#nextColumn = column + 1;
    this.#cell = { column, type: t, style: Number(s), text: '', hasFormula: false };
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    // A row that is faulty already is not read on, which bounds it.
    if (!cell || this.#fault || this.#line < this.#parts.startLine) return;
    const { text, special } = this.#valueOf(cell);
    if (text === '' && !special) return;
    this.#length += text.length;
    this.#delivered += text.length;
    if (isBomb(this.#delivered, this.#parts.packedBytes)) throw new TableError(bombMessage);
    this.#fault ??= this.#faultOf(cell.column, text);
    if (this.#fault) return;
    while (this.#cells.length < cell.column) this.#cells.push('');
    this.#cells[cell.column] = text;
    if (special) this.#special.set(cell.column, special);
  }

  #faultOf(column: number, text: string): string | undefined {
    if (column >= maxWidth) return `has more than ${maxWidth} columns`;
    if (text.length > maxCellLength) return `holds a cell longer than ${maxCellLength} characters`;
    return this.#length > maxRecordLength ? tooLongFault : undefined;
  }

  #valueOf({ type, text, style, hasFormula }: OpenCell): { text: string; special?: SpecialCell } {
    if (type === 's') {
      const found = text === '' ? '' : this.#parts.textAt(Number(text));
      if (found === undefined) this.#fault = 'refers to a text that the workbook does not hold';
      return { text: found ?? '' };
    }
    if (type === 'e') return { text, special: 'error' };
    // What a program that does not calculate has written; it is not known to be empty.
    if (text === '') return hasFormula && type !== 'str' ? { text, special: 'error' } : { text };
    if (type === 'b') return { text: isTrue(text) ? '1' : '0' };
    if (type === 'd') return { text, special: 'date' };
    if (type !== 'n') return { text: unescaped(text) };
    const number = numberText(text, this.#parts.kinds[style] ?? 'plain', this.#parts.has1904);
    return number.isDate ? { text: number.text, special: 'date' } : { text: number.text };
  }

  #closeRow(): void {
    const cells = this.#cells;
    if (this.#line < this.#parts.startLine || (cells.length === 0 && !this.#fault)) return;
    const { leastColumns } = this.#parts;
    if (!this.#fault && leastColumns !== null) this.#width ??= Math.max(cells.length, leastColumns);
    const width = this.#width ?? cells.length;
    const isWider = cells.length > width;
    const fault = this.#fault ?? (isWider ? `has ${cells.length} columns instead of ${width}` : undefined);
    while (!fault && cells.length < width) cells.push('');
    this.#records.push({
      line: this.#line,
      cells: fault ? cells.slice(0, maxReported) : cells,
      ...(fault !== undefined && { fault }),
      ...(this.#special.size > 0 && { special: this.#special }),
    });
  }
}
