import { isDeepStrictEqual } from 'node:util';
import type { TableRecord } from '../files/table.ts';
import { withOwn } from './error-file.ts';
import { errorFileName, type ImportSettings } from './import-settings.ts';
import { usualWidth } from './usual-width.ts';

/** Row number and reason, which the file of rejected rows has behind the columns of the import. */
export const ownCount = 2;

/**
 * Returns the number of cells of a row, including ours, if the file is one of rejected rows that an earlier import
 * wrote. Its numbers and reasons are not the user's, and would be repeated each time. Such a file is recognised by the
 * names of its last two columns, exactly as we write them; without column names by its file name and the numbers there.
 * Neither column may be mapped.
 * @returns undefined for any other file
 */
export function widthWithOwn(settings: ImportSettings, first: readonly TableRecord[]): number | undefined {
  if (!settings.hasNames) return widthWithoutNames(settings, first);
  const cells = first[0]?.cells ?? [];
  if (cells.length <= ownCount) return undefined;
  const columns = settings.mappings.flatMap((one) => (one.mode === 'column' ? [one.column] : []));
  const names = cells.map((name) => name.trim());
  if (!isDeepStrictEqual(names, withOwn(names.slice(0, -ownCount)))) return undefined;
  const mapped = new Set(columns.map((column) => column.toLowerCase()));
  return names.slice(-ownCount).some((name) => mapped.has(name)) ? undefined : cells.length;
}

/** The reason of a row of another width says how many columns the others have: all that are listed may be such rows. */
function widthWithoutNames(
  { filename, table }: ImportSettings,
  first: readonly TableRecord[],
): number | undefined {
  const usual = usualWidth(first, table.leastColumns);
  const model = first.find(({ cells, fault }) => !fault && cells.length === usual)?.cells ?? [];
  if (!filename.endsWith(errorFileName('')) || !isNumber(model.at(-ownCount))) return undefined;
  const said = first.map(({ cells }) => widthReason.exec(cells.at(-1) ?? '')?.[1]).find((one) => one);
  const width = said === undefined ? model.length : Number(said) + ownCount;
  return width - ownCount >= Math.max(1, table.leastColumns) ? width : undefined;
}
const widthReason = /^has \d+ columns instead of (\d+)$/;

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

/** Removes our two cells. A row with others in their places keeps them, and is rejected for its width. */
export function withoutOwn(record: TableRecord, width: number): TableRecord {
  const { cells } = record;
  const number = cells.at(-ownCount);
  // Ours may have been emptied.
  const isOwn = isNumber(number) || (cells.length === width && number === '');
  const isAsLongAsTheirs = cells.length === width - ownCount;
  if (!isOwn || (isAsLongAsTheirs && !widthReason.test(cells.at(-1) ?? ''))) return record;
  return { ...record, cells: cells.slice(0, -ownCount) };
}

const isNumber = (cell: string | undefined) => cell !== undefined && /^\d+$/.test(cell);
