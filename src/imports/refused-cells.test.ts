import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RefusedCells } from './refused-cells.ts';
import { RowSet } from './row-set.ts';

let folder: string;
let refused: RefusedCells;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-cells-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  refused = new RefusedCells(folder);
});
afterEach(() => refused.close());

const long = 'é'.repeat(400_000);
const rows = Array.from({ length: 5_000 }, (_, line) => ({
  line,
  cells: [`u${line}`, line % 1_000 === 7 ? long : 'a\n"b'],
}));
/** Yields the file in groups, as readers do. */
async function* file() {
  for (let at = 0; at < rows.length; at += 900) yield rows.slice(at, at + 900);
}
function setOf(numbers: readonly number[]): RowSet {
  const set = new RowSet();
  for (const number of numbers) set.add(number);
  return set;
}
async function cellsOf(numbers: readonly number[]) {
  const lookUp = refused.lookUp();
  const found: (readonly string[] | undefined)[] = [];
  for (const number of numbers) found.push(await lookUp(number));
  return found;
}

it('gives each row its cells, wherever they are on the disk', async () => {
  const every3 = rows.map(({ line }) => line).filter((line) => line % 3 === 1);
  expect(await refused.fill(setOf(every3), file())).toBe(true);
  expect(await cellsOf(every3)).toEqual(every3.map((line) => rows[line]!.cells));
  // Those between that are refused this time as well; one that is no more.
  expect(await cellsOf([4, 10, 4_999])).toEqual([rows[4]!.cells, rows[10]!.cells, rows[4_999]!.cells]);
});

it('keeps the rows of before when others are filled in, in the order of the file', async () => {
  await refused.fill(setOf([4_000, 7]), file());
  await refused.fill(setOf([300]), file());
  expect(await cellsOf([7, 300, 4_000])).toEqual([7, 300, 4_000].map((line) => rows[line]!.cells));
  expect([7, 8, 300, 4_000].map((row) => refused.has(row))).toEqual([true, false, true, true]);
});

it('says that a row is not in the file', async () => {
  expect(await refused.fill(setOf([3, 5_001]), file())).toBe(false);
});

it('knows rows for which it has no room, without their cells', async () => {
  refused = new RefusedCells(folder, 10);
  await refused.fill(setOf([1, 2, 3]), file());
  expect(await cellsOf([1, 2, 3])).toEqual([rows[1]!.cells, undefined, undefined]);
  expect(refused.has(3)).toBe(true);
});
