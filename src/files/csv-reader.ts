import type { Readable } from 'node:stream';
import { decoded, encodingOf } from './code-page.ts';
import { CsvError, type CsvRecord, type CsvShape, CsvSplitter } from './csv-splitter.ts';
import { unpacked } from './unpacked.ts';

export interface CsvOptions extends CsvShape {
  /** Windows code page: 1252, 65001 (UTF-8), … A byte-order mark in the file outweighs it. */
  readonly codePage: number;
  /** The first line that is read, from 1. */
  readonly startLine: number;
}

/**
 * Reads a file as records, in groups as they come; memory is bounded by one piece of the source and one record.
 * Faulty records are handed on with their fault. A `.gz` name is unpacked.
 * @throws CsvError when the file cannot be read as a whole.
 */
export async function* readCsv(
  name: string,
  source: Readable,
  options: CsvOptions,
): AsyncGenerator<CsvRecord[]> {
  const encoding = encodingOf(options.codePage);
  if (!encoding) throw new CsvError(`The code page ${options.codePage} is not known`);
  const splitter = new CsvSplitter(options, options.startLine);
  for await (const text of decoded(unpacked(name, source), encoding)) {
    const records = splitter.push(text);
    if (records.length > 0) yield records;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

/** A record as CSV text, quoted as in RFC 4180 with the shape's own delimiters; CR LF at the end. */
export function csvLine(cells: readonly string[], { delimiter, qualifier }: CsvShape): string {
  const quote = qualifier || '"';
  const shown = cells.map((cell) =>
    cell.includes(delimiter) || cell.includes(quote) || /[\r\n]/.test(cell)
      ? quote + cell.replaceAll(quote, quote + quote) + quote
      : cell,
  );
  return `${shown.join(delimiter)}\r\n`;
}
