import { expect, it } from 'vitest';
import { FloodLimit } from './flood-limit.ts';

it('admits 60 hits of a token in a minute, and other tokens beside it', () => {
  const limit = new FloodLimit();
  const admitted = (token: string, times: number, atMs: number) =>
    Array.from({ length: times }, () => limit.admits(token, atMs)).filter(Boolean).length;
  expect(admitted('a', 1_000, 1_000)).toBe(60);
  expect(admitted('a', 10, 59_999)).toBe(0);
  expect(admitted('b', 10, 59_999)).toBe(10);
  expect(admitted('a', 1_000, 61_000)).toBe(60);
});

it('holds a bounded number of tokens', () => {
  const limit = new FloodLimit();
  for (let i = 0; i < 200_000; i++) limit.admits(`token ${i}`, 1_000);
  for (let i = 0; i < 60; i++) expect(limit.admits('a', 1_000)).toBe(true);
  expect(limit.admits('a', 1_000)).toBe(false);
});

it('admits one a minute of a token that floods repeatedly, until the day ends', () => {
  const limit = new FloodLimit();
  const admitted = (token: string, atMs: number) =>
    Array.from({ length: 100 }, () => limit.admits(token, atMs)).filter(Boolean).length;
  const minutes = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => (from + i) * 60_000);
  expect(minutes(0, 10).map((at) => admitted('a', at))).toEqual(Array(10).fill(60));
  expect(minutes(10, 1_440).map((at) => admitted('a', at))).toEqual(Array(1_430).fill(1));
  expect(admitted('b', 1_439 * 60_000)).toBe(60);
  expect(admitted('a', 1_440 * 60_000)).toBe(60);
});

it('begins again when the clock is set back', () => {
  const limit = new FloodLimit();
  const admitted = (atMs: number) =>
    Array.from({ length: 100 }, () => limit.admits('a', atMs)).filter(Boolean).length;
  const year = 365 * 86_400_000;
  const minutes = (from: number) => Array.from({ length: 11 }, (_, i) => from + i * 60_000);
  expect(minutes(year).map(admitted)).toEqual([...Array(10).fill(60), 1]);
  expect(minutes(0).map(admitted)).toEqual([...Array(10).fill(60), 1]);
});
