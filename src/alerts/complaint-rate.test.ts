import { describe, expect, it } from 'vitest';
import { verdictOn } from './complaint-rate.ts';

const hour = (nbComplaints: number, nbSent: number) =>
  verdictOn((hours) => (hours === 1 ? { nbSent, nbComplaints } : { nbSent: 0, nbComplaints: 0 }));
const day = (nbComplaints: number, nbSent: number) =>
  verdictOn((hours) => (hours === 24 ? { nbSent, nbComplaints } : { nbSent: 0, nbComplaints: 0 }));

describe('the verdict on complaints', () => {
  it.each([
    [4, 400, 0],
    [5, 199, 0],
    [5, 200, 2],
    [9, 1_801, 0],
    [9, 1_800, 1],
    [9, 901, 1],
    [9, 900, 2],
  ])('of an hour with %i of %i is %i', (complaints, sent, level) => {
    expect(hour(complaints, sent).level).toBe(level);
  });

  it.each([
    [9, 1_000, 0],
    [10, 999, 0],
    [10, 1_000, 3],
    [15, 10_001, 0],
    [15, 10_000, 1],
    [29, 10_000, 1],
    [30, 10_000, 3],
  ])('of a day with %i of %i is %i', (complaints, sent, level) => {
    expect(day(complaints, sent).level).toBe(level);
  });

  it('is the gravest of all windows, with its figures', () => {
    expect(verdictOn((hours) => ({ nbSent: hours * 1_000, nbComplaints: hours * 4 }))).toEqual({
      level: 3,
      hours: 24,
      nbSent: 24_000,
      nbComplaints: 96,
    });
  });
});
