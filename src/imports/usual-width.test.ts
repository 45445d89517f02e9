import { expect, test } from 'vitest';
import { isEnough, usualWidth } from './usual-width.ts';

const rows = (...widths: number[]) =>
  widths.map((width, i) => ({ line: i + 1, cells: Array.from({ length: width }, () => 'x') }));

test.each<[string, number[], number, number | undefined]>([
  ['all are alike', [2, 2, 2], 2, 2],
  ['the first one is odd', [3, 2, 2], 2, 2],
  ['the first one is short', [1, 2, 2], 2, 2],
  ['equally many: the first', [3, 2, 2, 3], 2, 3],
  ['most do not reach what is mapped', [2, 2, 2, 3], 3, 3],
  ['none reaches it', [2, 1, 1], 3, 1],
  ['there is none', [], 1, undefined],
  [
    'what comes behind the thousandth does not count',
    [...Array(1_000).fill(2), ...Array(2_000).fill(3)],
    1,
    2,
  ],
])('%s', (_what, widths, highestMapped, expected) => {
  expect(usualWidth(rows(...widths), highestMapped)).toBe(expected);
});

test('rows that are faulty do not count', () => {
  const faulty = rows(3, 3).map((row) => ({ ...row, fault: 'is faulty' }));
  expect(usualWidth([...faulty, ...rows(2)], 1)).toBe(2);
});

test('a thousand rows are enough, or a million characters', () => {
  expect([isEnough(rows(...Array(999).fill(2))), isEnough(rows(...Array(1_000).fill(2)))]).toEqual([
    false,
    true,
  ]);
  expect(isEnough([{ line: 1, cells: ['x'.repeat(600_000), 'x'.repeat(399_998)] }])).toBe(true);
});
