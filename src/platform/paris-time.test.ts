import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { instantOfParisTime, parisDayOf, parisTimeOf, startOfParisDay } from './paris-time.ts';

test.each([
  ['2026-11-20T22:59:59Z', '2026-11-20', '2026-11-20T23:59:59'],
  ['2026-11-20T23:00:00Z', '2026-11-21', '2026-11-21T00:00:00'],
  ['2026-07-14T22:00:00Z', '2026-07-15', '2026-07-15T00:00:00'],
])('at %s it is %s in Paris', (iso, day, time) => {
  expect(parisDayOf(new Date(iso)).toString()).toBe(day);
  expect(parisTimeOf(new Date(iso)).toString()).toBe(time);
});

test.each([
  ['2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
  ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
])('%s in Paris is %s', (time, iso) => {
  expect(instantOfParisTime(Temporal.PlainDateTime.from(time)).toISOString()).toBe(iso);
});

test('a day begins at midnight of Paris', () => {
  expect(startOfParisDay(Temporal.PlainDate.from('2026-10-26')).toISOString()).toBe(
    '2026-10-25T23:00:00.000Z',
  );
});
