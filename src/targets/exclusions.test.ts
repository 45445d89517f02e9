import { expect, test } from 'vitest';
import { cycleThrough, type Exclusions, tooManySets } from './exclusions.ts';

const graph = (edges: Record<number, number[]>): Exclusions =>
  new Map(Object.entries(edges).map(([id, excluded]) => [Number(id), excluded]));

test.each<[Record<number, number[]>, number, number[] | undefined]>([
  [{}, 1, undefined],
  [{ 1: [1] }, 1, [1, 1]],
  [{ 1: [2], 2: [3], 3: [1] }, 1, [1, 2, 3, 1]],
  [{ 1: [4, 2], 2: [3], 3: [2, 1], 4: [] }, 1, [1, 2, 3, 1]],
  // Two ways to one target are no cycle.
  [{ 1: [2, 3], 2: [4], 3: [4] }, 1, undefined],
])('in %j the cycle through %i is %j', (edges, id, expected) => {
  expect(cycleThrough(graph(edges), id)).toEqual(expected);
});

test('a chain is short, doubling at every step is not', () => {
  const chain = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [i + 1, [i + 2]]));
  expect(tooManySets(graph(chain))).toBeUndefined();
  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [i, [2 * i + 20, 2 * i + 21, ...(i < 19 ? [i + 1, i + 1] : [])]]),
  );
  expect(tooManySets(graph(doubling))).toBe(0);
});
