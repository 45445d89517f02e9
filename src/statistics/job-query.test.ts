import { describe, expect, it } from 'vitest';
import { campaignTypes } from '../contents/campaign-type.ts';
import { campaignTypeOf, frenchCampaignTypes, readTagList, spanOf } from './job-query.ts';

const now = new Date('2026-11-20T10:00:00Z');

describe('the span of time of the jobs list', () => {
  it.each([
    [undefined, undefined, '2026-10-21T10:00:00.000Z', '2026-11-20T10:00:00.000Z'],
    [undefined, '2026-06-30T00:00:00Z', '2026-05-31T00:00:00.000Z', '2026-06-30T00:00:00.000Z'],
    ['2026-11-01T00:00:00+01:00', undefined, '2026-10-31T23:00:00.000Z', '2026-11-20T10:00:00.000Z'],
    // Six months of Paris time over the spring change, to the second.
    ['2026-01-15T09:00:00Z', '2026-07-15T08:00:00Z', '2026-01-15T09:00:00.000Z', '2026-07-15T08:00:00.000Z'],
    // The same by the calendar of UTC, in which answers are given: an hour more, or in autumn an hour less.
    ['2026-01-01T00:00:00Z', '2026-07-01T00:00:00Z', '2026-01-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
    ['2026-08-01T00:00:00Z', '2027-02-01T01:00:00Z', '2026-08-01T00:00:00.000Z', '2027-02-01T01:00:00.000Z'],
    // Six months after 31 August is the last day of February.
    ['2025-08-31T10:00:00Z', '2026-02-28T11:00:00Z', '2025-08-31T10:00:00.000Z', '2026-02-28T11:00:00.000Z'],
  ])('from %s to %s', (start, end, from, to) => {
    const span = spanOf(start, end, now);
    expect([span.from.toISOString(), span.to.toISOString()]).toEqual([from, to]);
  });

  it.each([
    ['2026-01-15T09:00:00Z', '2026-07-15T09:00:01Z', 'at most 6 months'],
    ['2026-08-01T00:00:00Z', '2027-02-01T01:00:01Z', 'at most 6 months'],
    ['2026-01-01T00:00:00Z', undefined, 'at most 6 months'],
    ['2026-11-21T00:00:00Z', undefined, 'must not be before filters.startDate'],
    ['2026-11-02T00:00:00Z', '2026-11-01T00:00:00Z', 'must not be before filters.startDate'],
  ])('refuses %s to %s', (start, end, message) => {
    expect(() => spanOf(start, end, now)).toThrow(message);
  });
});

it('names every campaign type in French', () => {
  expect(frenchCampaignTypes.map(campaignTypeOf)).toEqual([...campaignTypes]);
  expect(campaignTypeOf('TRANSACTIONNEL')).toBe('Transac');
  expect(campaignTypeOf('JEU')).toBe('ExternalGame');
});

it('reads lists of directories', () => {
  expect(readTagList(undefined)).toBeUndefined();
  expect(readTagList(' ; ')).toBeUndefined();
  expect(readTagList('3; 14;')).toEqual([3, 14]);
  for (const wrong of ['a', '3;0', '1.5', '-1', '99999999999', '1,2']) {
    expect(() => readTagList(wrong)).toThrow('is not a directory id');
  }
});
