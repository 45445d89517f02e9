import type { TableRecord } from '../files/table.ts';

/** Rows, and characters in them with what parts the cells, by which a file without names is judged. */
const maxRows = 1_000;
const maxCharacters = 1_000_000;

/** Whether so many first rows are enough to tell how many columns a file has. */
export function isEnough(rows: readonly TableRecord[]): boolean {
  return rows.length >= maxRows || charactersOf(rows) >= maxCharacters;
}

/**
 * How many columns a file without names has: as many as most of its first thousand valid rows, of those that reach
 * the highest column that is mapped; of equally many, as the one that comes first. One odd row, above all in the
 * first line, must not have all others refused for its sake.
 * @returns undefined when there is no valid row.
 */
export function usualWidth(rows: readonly TableRecord[], highestMapped: number): number | undefined {
  const counts = new Map<number, number>();
  for (const { cells, fault } of rows.slice(0, maxRows))
    if (!fault) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const all = [...counts];
  const wide = all.filter(([width]) => width >= highestMapped);
  // Sorting keeps the order of those that are equal.
  return (wide.length > 0 ? wide : all).sort((a, b) => b[1] - a[1])[0]?.[0];
}

function charactersOf(rows: readonly TableRecord[]): number {
  return rows.reduce(
    (sum, { cells }) => sum + cells.reduce((length, cell) => length + cell.length + 1, 0),
    0,
  );
}
