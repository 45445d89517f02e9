import { expect, test } from 'vitest';
import { periodInWords, readPeriod } from './period.ts';

const show = (text: string) => {
  const period = readPeriod(text);
  return period && `${period.start.toISOString()} ${period.end.toISOString()}`;
};

test.each([
  ['2026-11-20', '2026-11-19T23:00:00.000Z 2026-11-20T23:00:00.000Z'],
  ['2026-07-14', '2026-07-13T22:00:00.000Z 2026-07-14T22:00:00.000Z'],
  ['9999-12-31', '9999-12-30T23:00:00.000Z 9999-12-31T23:00:00.000Z'],
  // The days of the changes have 23 and 25 hours.
  ['2026-03-29', '2026-03-28T23:00:00.000Z 2026-03-29T22:00:00.000Z'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z 2026-10-25T23:00:00.000Z'],
  ['2026-11-20T10:30', '2026-11-20T09:30:00.000Z 2026-11-20T09:31:00.000Z'],
  ['2026-11-20 10:30:15', '2026-11-20T09:30:15.000Z 2026-11-20T09:30:16.000Z'],
  ['2026-11-20T10:30:15.25', '2026-11-20T09:30:15.250Z 2026-11-20T09:30:15.251Z'],
  ['2026-11-20T10:30Z', '2026-11-20T10:30:00.000Z 2026-11-20T10:31:00.000Z'],
  ['2026-11-20T10:30:00+05:30', '2026-11-20T05:00:00.000Z 2026-11-20T05:00:01.000Z'],
  // 02:30 does not exist on the first of these days and occurs twice on the second.
  ['2027-03-28T02:30', '2027-03-28T01:30:00.000Z 2027-03-28T01:31:00.000Z'],
  ['2026-10-25T02:59', '2026-10-25T00:59:00.000Z 2026-10-25T01:00:00.000Z'],
])('%s names a period', (text, expected) => expect(show(text)).toBe(expected));

test.each([
  '',
  'today',
  '2026',
  '2026-02-30',
  '2026-11-20T25:00',
  '2026-11-20T10:30:60',
  '20/11/2026',
  '0000-01-01',
  // Paris began that day in the year before.
  '0001-01-01',
  '9999-12-31T23:59-12:00',
  '2026-11-20T10',
  '2026-11-20Z',
  "2026-11-20' or true",
])('%j is not a date', (text) => expect(readPeriod(text)).toBeUndefined());

test.each([
  ['2026-03-29', '29/03/2026', '29 Mar 2026'],
  ['2026-03-29T10:30', '29/03/2026 10:30', '29 Mar 2026 10:30'],
  ['2026-03-09T10:30:05', '09/03/2026 10:30:05', '9 Mar 2026 10:30:05'],
  ['2026-03-29T08:30Z', '29/03/2026 10:30', '29 Mar 2026 10:30'],
  ['0101-12-29', '29/12/0101', '29 Dec 0101'],
  ['rubbish', 'rubbish', 'rubbish'],
])('%s is %s in French and %s in English', (text, french, english) => {
  expect(periodInWords(text, 'fr')).toBe(french);
  expect(periodInWords(text, 'en')).toBe(english);
});
