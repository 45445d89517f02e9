import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { decoded } from './code-page.ts';
import { type CsvShape, CsvSplitter } from './csv-splitter.ts';
import type { TableRecord } from './table.ts';

export interface CsvOptions extends CsvShape {
  /** Windows code page: 1252, 65001 (UTF-8), … A byte-order mark in the file outweighs it. */
  readonly codePage: number;
  /** The first line that is read, from 1. */
  readonly startLine: number;
}

/**
 * Reads bytes as records, in groups as they come; memory is bounded by one piece of the source and one record. Anyone
 * who else waits for the process has their turn after each group, which takes some milliseconds, whatever the text
 * is. Faulty records are handed on with their fault.
 * @throws TableError when the file cannot be read as a whole.
 */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: CsvOptions,
): AsyncGenerator<TableRecord[]> {
  const splitter = new CsvSplitter(options, options.startLine);
  for await (const text of decoded(source, options.codePage)) yield* inTurns(splitter.push(text));
  yield* inTurns(splitter.end());
}

async function* inTurns(groups: Iterable<TableRecord[]>): AsyncGenerator<TableRecord[]> {
  for (const group of groups) {
    yield group;
    await turnOfOthers();
  }
}

/** Formats a record as CSV with its row end. Without a text qualifier, a delimiter inside a cell becomes `_`. */
export function csvLine(cells: readonly string[], { delimiter, qualifier, rowDelimiter }: CsvShape): string {
  const isLines = rowDelimiter === 'lines';
  const rowEnd = isLines ? '\r\n' : rowDelimiter;
  const breaks = isLines ? [delimiter, '\n'] : [delimiter, rowEnd];
  // A part of a delimiter, too: beside the next one it would make a whole one in another place.
  const signs = [...breaks.join(''), qualifier, '\r'];
  const shown = cells.map((cell) => {
    // A row that is refused may have a million of them.
    if (cell === '') return cell;
    if (qualifier === '') return breaks.reduce((text, one) => text.replaceAll(one, '_'), cell);
    const needsQualifier = signs.some((one) => cell.includes(one));
    return needsQualifier ? qualifier + cell.replaceAll(qualifier, qualifier + qualifier) + qualifier : cell;
  });
  return shown.join(delimiter) + rowEnd;
}
