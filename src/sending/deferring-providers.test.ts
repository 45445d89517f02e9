import { describe, expect, it } from 'vitest';
import type { RecentTotal } from '../platform/event-counts.ts';
import { deferringProviders } from './sending-health.ts';

const now = Date.parse('2026-11-20T10:04:00Z');
/** The counts of a provider, `steps` of ten minutes ago. */
const counted = (
  idProvider: number,
  steps: number,
  totals: Readonly<Record<string, number>>,
): RecentTotal[] => {
  const at = new Date(Date.parse('2026-11-20T10:00:00Z') - steps * 600_000);
  return Object.entries(totals).map(([event, total]) => ({
    ...{ idProvider, event: `mail.${event}`, total, at },
    ageS: (now - at.getTime()) / 1_000,
  }));
};
const time = (at: Date) => at.toISOString().slice(11, 16);
const found = (...totals: readonly RecentTotal[][]) =>
  deferringProviders(totals.flat()).map(({ idProvider, nbAttempts, nbDeferred, since }) => [
    ...[idProvider, nbAttempts, nbDeferred, time(since)],
  ]);

describe('deferringProviders', () => {
  it('is empty without attempts, for fewer than ten deferrals, and below a tenth of the attempts', () => {
    expect(found()).toEqual([]);
    expect(found(counted(3, 0, { accepted: 1, deferred: 9 }))).toEqual([]);
    expect(found(counted(3, 0, { accepted: 901, deferred: 99 }))).toEqual([]);
    expect(found(counted(3, 0, { bounced: 1_000, complained: 20 }))).toEqual([]);
  });

  it('counts every attempt of the last minutes, and puts the largest share first', () => {
    expect(
      found(
        counted(3, 0, { accepted: 80, refused: 5, uncertain: 3, deferred: 12, bounced: 900 }),
        counted(4, 0, { accepted: 10, deferred: 10 }),
        counted(4, 1, { accepted: 20, deferred: 60 }),
      ),
    ).toEqual([
      [4, 100, 70, '09:50'],
      [3, 100, 12, '10:00'],
    ]);
  });

  it('begins with the first of the steps in a row that defer', () => {
    const slow = { accepted: 50, deferred: 50 };
    const steps = [1, 2, 3].flatMap((ago) => counted(3, ago, slow));
    expect(found(steps, counted(3, 4, { accepted: 100 }), counted(3, 5, slow))).toEqual([
      [3, 100, 50, '09:30'],
    ]);
    expect(found(steps, counted(3, 0, slow))).toEqual([[3, 200, 100, '09:30']]);
    // The step that just began has only a few attempts, which went well.
    expect(found(steps, counted(3, 0, { accepted: 3 }))[0]!.slice(0, 3)).toEqual([3, 103, 50]);
  });

  it('forgets what is longer ago', () => {
    expect(found(counted(3, 2, { deferred: 500 }), counted(3, 0, { accepted: 10 }))).toEqual([]);
  });
});
