import { isDeepStrictEqual } from 'node:util';
import type { TableRecord } from '../files/table.ts';
import { withOwn } from './error-file.ts';
import { errorFileName, type ImportSettings } from './import-settings.ts';

/** Row number and reason, which the file of refused rows has behind the columns of the import. */
const ownCount = 2;

/**
 * Cells of a row, with ours, when the file is one of refused rows that an earlier import has written, mended or not:
 * what it says of its rows is not theirs, and would stand there once more each time. Told by the names of the last
 * two columns, just as we would write them; a file without names by its own name. Neither may be mapped.
 * @returns undefined for any other file.
 */
export function widthWithOwn(settings: ImportSettings, first: readonly TableRecord[]): number | undefined {
  const { hasNames, filename, mappings } = settings;
  const cells = (hasNames ? first[0] : first.find((record) => !record.fault))?.cells ?? [];
  const theirs = cells.slice(0, -ownCount);
  const columns = mappings.flatMap((one) => (one.mode === 'column' ? [one.column] : []));
  if (theirs.length === 0) return undefined;
  if (!hasNames) {
    const isOwn = filename.endsWith(errorFileName('')) && isNumber(cells.at(-ownCount));
    return isOwn && columns.every((column) => Number(column) <= theirs.length) ? cells.length : undefined;
  }
  const names = cells.map((name) => name.trim());
  if (!isDeepStrictEqual(names, withOwn(names.slice(0, -ownCount)))) return undefined;
  const mapped = new Set(columns.map((column) => column.toLowerCase()));
  return names.slice(-ownCount).some((name) => mapped.has(name)) ? undefined : cells.length;
}

/** The first rows of such a file without our two columns: the line of names among them. */
export function firstWithoutOwn(
  { hasNames }: ImportSettings,
  first: readonly TableRecord[],
  width: number,
): TableRecord[] {
  return first.map((record, i) => {
    const isHead = hasNames && i === 0;
    return isHead ? { ...record, cells: record.cells.slice(0, -ownCount) } : withoutOwn(record, width);
  });
}

/**
 * A row of such a file without our two cells. One in which something else stands in their places keeps it, so that it
 * is refused for its width; one from which they were taken away already is left as it is.
 */
export function withoutOwn(record: TableRecord, width: number): TableRecord {
  const { cells } = record;
  const number = cells.at(-ownCount);
  // Ours may have been emptied.
  const isOwn = isNumber(number) || (cells.length === width && number === '');
  const isAsLongAsTheirs = cells.length === width - ownCount;
  if (!isOwn || (isAsLongAsTheirs && !/^has \d+ columns instead of \d+$/.test(cells.at(-1) ?? '')))
    return record;
  return { ...record, cells: cells.slice(0, -ownCount) };
}

const isNumber = (cell: string | undefined) => cell !== undefined && /^\d+$/.test(cell);
