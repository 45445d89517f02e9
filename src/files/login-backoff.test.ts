import { expect, test } from 'vitest';
import { LoginBackoff } from './login-backoff.ts';

test('three attempts at a login are free, then the wait doubles up to half a minute', () => {
  const backoff = new LoginBackoff();
  // None of them has ended: attempts running count.
  const waits = Array.from({ length: 12 }, () => backoff.begin('a', 'demo', 1_000));
  expect(waits.slice(0, 7)).toEqual([0, 0, 0, 500, 1_000, 2_000, 4_000]);
  expect(waits.at(-1)).toBe(30_000);
  expect(backoff.begin('b', 'demo', 1_000)).toBe(0);
});

test('twenty attempts at different logins are free', () => {
  const backoff = new LoginBackoff();
  const waits = Array.from({ length: 22 }, (_, i) => backoff.begin('a', `site-${i}`, 1_000));
  expect(waits.slice(0, 20).every((wait) => wait === 0)).toBe(true);
  expect(waits.slice(20)).toEqual([500, 1_000]);
});

test('a success forgets the attempts at that login, a quarter of an hour all', () => {
  const backoff = new LoginBackoff();
  for (let i = 0; i < 5; i++) backoff.begin('a', 'demo', 0);
  backoff.succeeded('a', 'other');
  expect(backoff.begin('a', 'demo', 0)).toBe(2_000);
  backoff.succeeded('a', 'demo');
  expect(backoff.begin('a', 'demo', 0)).toBe(0);
  for (let i = 0; i < 50; i++) backoff.begin('a', 'demo', 0);
  expect(backoff.begin('a', 'demo', 15 * 60_000 + 1)).toBe(0);
});

test('sign-ins that succeed never wait, however many there are', () => {
  const backoff = new LoginBackoff();
  for (let i = 0; i < 100; i++) {
    expect(backoff.begin('a', 'demo', 0)).toBe(0);
    backoff.succeeded('a', 'demo');
  }
});
