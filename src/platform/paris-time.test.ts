import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import {
  instantOfParisTime,
  parisDayOf,
  parisTimeOf,
  plannedInstantOf,
  readPlannedTime,
  startOfParisDay,
} from './paris-time.ts';

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

test.each([
  ['2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29T02:00', '2026-03-29T01:00:00.000Z'],
  ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
  ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['2026-03-29T03:01', '2026-03-29T01:01:00.000Z'],
  ['2026-10-25T01:59', '2026-10-24T23:59:00.000Z'],
  ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
  ['2026-07-14T02:30', '2026-07-14T00:30:00.000Z'],
])('what is planned for %s in Paris happens at %s', (time, iso) => {
  expect(plannedInstantOf(Temporal.PlainDateTime.from(time)).toISOString()).toBe(iso);
});

test.each([
  ['2026-12-24T18:00:00', '2026-12-24T17:00:00.000Z'],
  ['2026-12-24T18:00', '2026-12-24T17:00:00.000Z'],
  ['2026-03-29T02:30:00', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
  ['2026-12-24T18:00:00.250Z', '2026-12-24T18:00:00.250Z'],
  ['2026-02-30T18:00:00', undefined],
  ['2026-02-30T18:00:00Z', undefined],
  ['2026-12-24T24:00:00', undefined],
  ['2026-12-24', undefined],
  ['tomorrow', undefined],
])('the date-time %s names %s', (text, iso) => {
  expect(readPlannedTime(text)?.toISOString()).toBe(iso);
});
