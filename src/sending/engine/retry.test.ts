import { expect, it } from 'vitest';
import { isOver, retryDelay, standardRetry } from './retry.ts';

const minutes = (attempts: number) => retryDelay(standardRetry, attempts) / 60_000;

it('a message that is put off waits longer each time, two hours at the most', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map(minutes)).toEqual([5, 15, 30, 60, 120, 120, 120]);
});

it('is given up at the first deferral a day after the first one', () => {
  const day = 86_400_000;
  expect(isOver(standardRetry, 1_000, 1_000 + day - 1)).toBe(false);
  expect(isOver(standardRetry, 1_000, 1_000 + day)).toBe(true);
});
