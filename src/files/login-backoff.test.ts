import { expect, test } from 'vitest';
import { LoginBackoff } from './login-backoff.ts';

test('three failures are free, then the wait doubles up to half a minute', () => {
  const backoff = new LoginBackoff();
  const waits = Array.from({ length: 12 }, () => {
    backoff.failed('a', 1_000);
    return backoff.waitMs('a', 1_000);
  });
  expect(waits.slice(0, 6)).toEqual([0, 0, 500, 1_000, 2_000, 4_000]);
  expect(waits.at(-1)).toBe(30_000);
  expect(backoff.waitMs('b', 1_000)).toBe(0);
});

test('a success and a quarter of an hour forget', () => {
  const backoff = new LoginBackoff();
  for (let i = 0; i < 5; i++) backoff.failed('a', 0);
  expect(backoff.waitMs('a', 15 * 60_000 + 1)).toBe(0);
  backoff.succeeded('a');
  expect(backoff.waitMs('a', 0)).toBe(0);
});
