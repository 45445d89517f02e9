import { expect, it } from 'vitest';
import { isOver, retryAt, standardRetry } from './outcomes.ts';

const minute = 60_000;

it('retries after 5, 15, 30, 60 minutes, then every two hours, and for the last time after 24 hours', () => {
  const tries: number[] = [];
  let lastAt = 0;
  for (let attempts = 1; !isOver(standardRetry, 0, lastAt); attempts++) {
    lastAt = retryAt(standardRetry, { attempts, firstAt: 0, lastAt });
    tries.push(lastAt / minute);
  }
  expect(tries.slice(0, 6)).toEqual([5, 20, 50, 110, 230, 350]);
  expect(tries.slice(-2)).toEqual([1_430, 1_440]);
});

it('does not wait if the time has ended, for example after a pause of days', () => {
  const policy = { delays: [minute], giveUpAfter: 10 * minute };
  expect(retryAt(policy, { attempts: 1, firstAt: 0, lastAt: 30 * minute })).toBe(30 * minute);
});

it('is given up at the first deferral a day after the first one', () => {
  const day = 24 * 60 * minute;
  expect(isOver(standardRetry, 1_000, 1_000 + day - 1)).toBe(false);
  expect(isOver(standardRetry, 1_000, 1_000 + day)).toBe(true);
});
